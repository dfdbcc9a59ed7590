/// What a window keeps: at a position, with a size.
protocol Kept: Sendable {
  var position: ChangePosition { get }
  /// About how much memory it takes.
  var byteCount: Int { get }
}

/// The newest of what ever came in the order of positions, within limits; each element has a number that stays.
struct KeptWindow<Element: Kept>: Sendable {
  private var elements: [Element] = []
  /// Where the first one stands; what is before it has gone.
  private var head = 0
  private var byteCount = 0
  private let limits: WatchLimits
  /// The number of the first element that is kept.
  private(set) var firstNumber = 0
  /// The position after which nothing is missing.
  private(set) var start: ChangePosition

  init(from start: ChangePosition, limits: WatchLimits) {
    self.start = start
    self.limits = limits
  }

  /// The number that the next element gets.
  var endNumber: Int { firstNumber + elements.count - head }

  /// The position of the newest element, else where the window begins.
  var last: ChangePosition { head < elements.count ? elements[elements.count - 1].position : start }

  /// Adds an element, and lets go of the oldest ones beyond the limits.
  mutating func append(_ element: Element) {
    elements.append(element)
    byteCount += element.byteCount
    while head < elements.count, byteCount > limits.windowBytes || elements.count - head > limits.windowEntries {
      start = elements[head].position
      byteCount -= elements[head].byteCount
      head += 1
      firstNumber += 1
    }
    // Moving the rest only when most has gone keeps each element's share of the moves small.
    if head > 64, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
  }

  /// Lets go of everything, and begins anew at a position. The numbers go on behind a gap: whoever has come to the end of before
  /// isn't at the beginning of now, since what was between is missing.
  mutating func restart(from start: ChangePosition) {
    (firstNumber, elements, head, byteCount) = (endNumber + 1, [], 0, 0)
    self.start = start
  }

  /// An element by its number, which isn't less than `firstNumber`.
  subscript(number: Int) -> Element { elements[head + number - firstNumber] }

  /// The elements from a number on; nil where the first of them have gone.
  func elements(from number: Int) -> ArraySlice<Element>? {
    number < firstNumber ? nil : elements[(head + number - firstNumber)...]
  }

  /// The number of the first element after a position; nil where what follows that position has gone.
  func number(after position: ChangePosition) -> Int? {
    guard position >= start else { return nil }
    var low = head
    var high = elements.count
    while low < high {
      let middle = (low + high) >> 1
      if elements[middle].position <= position { low = middle + 1 } else { high = middle }
    }
    return firstNumber + low - head
  }
}

/// How much is kept for watchers, in each of two windows: publications, and the changes that came of them.
package struct WatchLimits: Sendable {
  /// About how much memory a window takes, in bytes.
  package var windowBytes: Int
  /// How many publications, or groups of changes, a window keeps.
  package var windowEntries: Int

  package init(windowBytes: Int = 64 << 20, windowEntries: Int = 262_144) {
    self.windowBytes = windowBytes
    self.windowEntries = windowEntries
  }
}
