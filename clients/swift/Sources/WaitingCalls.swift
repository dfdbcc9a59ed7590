/// The calls that wait for a place on a connection, first come first served.
struct WaitingCalls: Sendable {
  private var ids: [CallID] = []
  /// Where the first one stands; what is before it has gone.
  private var head = 0

  var count: Int { ids.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ id: CallID) { ids.append(id) }

  /// Puts calls before all others, in their order.
  mutating func prepend(_ first: [CallID]) {
    guard !first.isEmpty else { return }
    ids.replaceSubrange(..<head, with: first)
    head = 0
  }

  mutating func popFirst() -> CallID? {
    guard head < ids.count else { return nil }
    head += 1
    let id = ids[head - 1]
    // Moving the rest only when most of the array has gone keeps each call's share of the moves small.
    if head == ids.count || head > 1_024 && head > ids.count / 2 {
      ids.removeSubrange(..<head)
      head = 0
    }
    return id
  }

  /// Takes out the calls that a test picks.
  mutating func removeAll(where isGone: (CallID) -> Bool) {
    ids.removeSubrange(..<head)
    head = 0
    ids.removeAll(where: isGone)
  }
}
