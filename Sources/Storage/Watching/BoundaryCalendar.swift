import Entitlements

/// Who has an answer that time alone changes next, and when: a heap by moment, with one moment for each customer.
struct BoundaryCalendar: Sendable {
  private struct Mark: Sendable {
    let moment: Int64
    let customer: CustomerID
  }

  private var heap: [Mark] = []
  /// What holds: a mark in the heap that says otherwise is passed over.
  private var moments: [CustomerID: Int64] = [:]

  /// The first moment at which something changes; nil for none.
  var nextMoment: Int64? { heap.first?.moment }

  /// Sets a customer's moment; nil: none.
  mutating func set(_ moment: Int64?, of customer: CustomerID) {
    if moments[customer] == moment { return }
    moments[customer] = moment
    if let moment { push(Mark(moment: moment, customer: customer)) }
    dropStale()
    if heap.count > 2 * moments.count + 1_024 { rebuild() }
  }

  /// Takes out everyone whose moment is the next one, in the order of their ids.
  mutating func takeNext() -> [CustomerID] {
    guard let moment = nextMoment else { return [] }
    var customers: [CustomerID] = []
    while nextMoment == moment {
      let mark = pop()
      if moments[mark.customer] == moment {
        moments[mark.customer] = nil
        customers.append(mark.customer)
      }
    }
    dropStale()
    return customers.sorted()
  }

  /// Keeps the first mark one that holds.
  private mutating func dropStale() {
    while let first = heap.first, moments[first.customer] != first.moment { _ = pop() }
  }

  private mutating func rebuild() {
    // Sorted is a heap, too.
    heap = moments.map { Mark(moment: $0.value, customer: $0.key) }.sorted { $0.moment < $1.moment }
  }

  private mutating func push(_ mark: Mark) {
    var index = heap.count
    heap.append(mark)
    while index > 0, mark.moment < heap[(index - 1) / 2].moment {
      heap[index] = heap[(index - 1) / 2]
      index = (index - 1) / 2
    }
    heap[index] = mark
  }

  private mutating func pop() -> Mark {
    let first = heap[0]
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    var index = 0
    while true {
      var child = 2 * index + 1
      if child >= heap.count { break }
      if child + 1 < heap.count, heap[child + 1].moment < heap[child].moment { child += 1 }
      if last.moment <= heap[child].moment { break }
      heap[index] = heap[child]
      index = child
    }
    heap[index] = last
    return first
  }
}
