/// A list that is emptied and filled again and again: emptying it costs nothing, and its room stays.
struct ReusedList<Element> {
  /// What it is kept in: behind the first ones, as many as it counts, stands what was there before.
  private(set) var elements: [Element] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count < elements.count { elements[count] = element } else { elements.append(element) }
    count += 1
  }

  /// Leaves the first ones.
  @inline(__always)
  mutating func removeAll(from count: Int = 0) {
    precondition(count <= self.count, "a list gets no longer by what is taken from it")
    self.count = count
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    _read {
      precondition(index < count, "what is behind the end was taken away")
      yield elements[index]
    }
    _modify {
      precondition(index < count, "what is behind the end was taken away")
      yield &elements[index]
    }
  }
}

extension ReusedList: Sendable where Element: Sendable {}
