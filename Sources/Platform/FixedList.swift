/// A list of plain values in memory that is set aside once: appending never allocates, and traps beyond the capacity.
@usableFromInline @safe package struct FixedList<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // Proof of safety: `memory` has room for `capacity` values and is owned by this value alone, the first `count` of them were
  // written, and every function below checks its index before it touches memory.
  @usableFromInline let memory: UnsafeMutablePointer<Element>
  /// The most values that fit.
  @usableFromInline package let capacity: Int
  @usableFromInline package internal(set) var count = 0

  @inlinable
  package init(capacity: Int) {
    precondition(capacity > 0, "a list that nothing fits into")
    self.capacity = capacity
    unsafe memory = .allocate(capacity: capacity)
  }

  deinit { unsafe memory.deallocate() }

  @inlinable
  package var isEmpty: Bool { count == 0 }

  @inlinable
  package var indices: Range<Int> { 0..<count }

  /// Adds a value at the end.
  @inlinable
  package mutating func append(_ element: Element) {
    precondition(count < capacity, "more values than were set aside for")
    unsafe (memory + count).initialize(to: element)
    count += 1
  }

  @inlinable
  package subscript(index: Int) -> Element {
    unsafeAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "an index beyond the list")
      return unsafe UnsafePointer(memory + index)
    }
    unsafeMutableAddress {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "an index beyond the list")
      return unsafe memory + index
    }
  }

  /// Takes all values away and keeps the memory.
  @inlinable
  package mutating func removeAll() { count = 0 }
}
