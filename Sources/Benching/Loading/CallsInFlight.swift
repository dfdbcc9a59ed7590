/// The calls of one connection that wait for their answers, by the ids that they were given: 1, 3, 5 and so on, as streams are numbered.
///
/// They stand in a ring from the oldest that waits to the newest, so that finding one is an index, and answers may come in any order.
package struct CallsInFlight: Sendable {
  /// A call that was made.
  package struct Call: Equatable, Sendable {
    package let kind: CallKind
    /// When it was due, and when it was handed to its connection: nanoseconds of `Clock.monotonicNanoseconds`.
    package let due: UInt64
    package let sent: UInt64
  }

  private var ring: [Call?]
  /// How many calls were made before the oldest that waits.
  private var first: UInt64 = 0
  /// How many calls were made.
  private var made: UInt64 = 0
  /// How many wait.
  package private(set) var count = 0

  package init() { ring = Array(repeating: nil, count: 16) }

  /// The id of the next call; nil once all 2³¹ ids of a connection were given.
  package var nextID: UInt32? { made <= UInt64(UInt32.max >> 1) ? UInt32(made) << 1 | 1 : nil }

  /// The call that waits longest.
  package var oldest: Call? { count > 0 ? ring[index(first)] : nil }

  /// All that wait, the oldest first.
  package var all: [Call] { (first..<made).compactMap { ring[index($0)] } }

  /// Adds a call under the next id.
  package mutating func add(_ call: Call) {
    if made - first == UInt64(ring.count) { grow() }
    ring[index(made)] = call
    made += 1
    count += 1
  }

  /// Takes the call of an id, or the oldest for nil; gives nil where no such call waits.
  package mutating func remove(_ id: UInt32?) -> Call? {
    let number = id.map { UInt64($0 >> 1) } ?? first
    guard id.map({ $0 & 1 == 1 }) ?? true, (first..<made).contains(number), let call = ring[index(number)] else { return nil }
    ring[index(number)] = nil
    count -= 1
    while first < made, ring[index(first)] == nil { first += 1 }
    return call
  }

  private func index(_ number: UInt64) -> Int { Int(number & UInt64(ring.count - 1)) }

  /// Doubles the ring, whose size stays a power of two.
  private mutating func grow() {
    let calls = (first..<made).map { ring[index($0)] }
    ring = Array(repeating: nil, count: ring.count * 2)
    for (number, call) in zip(first..<made, calls) { ring[index(number)] = call }
  }
}
