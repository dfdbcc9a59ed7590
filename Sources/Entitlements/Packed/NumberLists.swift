/// Ascending lists of numbers, most of which are of one: such a list is kept in its handle.
struct NumberLists: Sendable {
  /// Names a list. It changes with the list.
  struct Handle: Hashable, Sendable, BitwiseCopyable {
    fileprivate var word: UInt32

    /// The list of none.
    static let empty = Handle(word: 0)

    var isEmpty: Bool { self == .empty }
  }

  /// Those of two and more.
  private var longer = PlacedValues<[UInt32]>()

  /// Above a number: the list of it alone. The others are places of longer lists, plus one.
  private static let aloneBit: UInt32 = 1 << 31

  /// The numbers of a list.
  subscript(handle: Handle) -> [RecordNumber] {
    if handle.isEmpty { return [] }
    if let alone = NumberLists.alone(handle) { return [alone] }
    return longer[NumberLists.place(of: handle)].map { RecordNumber($0) }
  }

  /// Gives each number of a list, without making an array of them.
  func forEach(of handle: Handle, _ body: (RecordNumber) -> Void) {
    if handle.isEmpty { return }
    if let alone = NumberLists.alone(handle) { return body(alone) }
    for number in longer[NumberLists.place(of: handle)] { body(RecordNumber(number)) }
  }

  /// The numbers of a list, without making an array of them.
  func walk(_ handle: Handle) -> Walk {
    if handle.isEmpty { return Walk(alone: nil, longer: []) }
    if let alone = NumberLists.alone(handle) { return Walk(alone: UInt32(alone), longer: []) }
    return Walk(alone: nil, longer: longer[NumberLists.place(of: handle)])
  }

  /// The numbers of a list as they were when it was asked for.
  struct Walk: RandomAccessCollection {
    fileprivate let alone: UInt32?
    fileprivate let longer: [UInt32]

    var startIndex: Int { 0 }
    var endIndex: Int { alone == nil ? longer.count : 1 }

    subscript(index: Int) -> RecordNumber { RecordNumber(alone ?? longer[index]) }
  }

  /// How many numbers a list has.
  func count(of handle: Handle) -> Int {
    if handle.isEmpty { return 0 }
    return NumberLists.alone(handle) == nil ? longer[NumberLists.place(of: handle)].count : 1
  }

  /// The first number of a list.
  func first(of handle: Handle) -> RecordNumber? {
    if handle.isEmpty { return nil }
    return NumberLists.alone(handle) ?? RecordNumber(longer[NumberLists.place(of: handle)][0])
  }

  /// Adds a number that isn't in the list, where it belongs.
  mutating func add(_ number: RecordNumber, to handle: inout Handle) {
    precondition(number < NumberLists.aloneBit, "numbers of records have 31 bits")
    if handle.isEmpty {
      handle.word = UInt32(number) | NumberLists.aloneBit
    } else if let alone = NumberLists.alone(handle) {
      handle.word = UInt32(longer.keep([UInt32(min(alone, number)), UInt32(max(alone, number))]) + 1)
    } else {
      let place = NumberLists.place(of: handle)
      let end = longer[place].count
      // Mostly it is a new record's.
      if longer[place][end - 1] < number { return longer[place].append(UInt32(number)) }
      let index = (0..<end).reversed().first { longer[place][$0] < number }.map { $0 + 1 } ?? 0
      longer[place].insert(UInt32(number), at: index)
    }
  }

  /// Takes a number out of the list.
  mutating func remove(_ number: RecordNumber, from handle: inout Handle) {
    if let alone = NumberLists.alone(handle) {
      if alone == number { handle = .empty }
    } else if !handle.isEmpty {
      let place = NumberLists.place(of: handle)
      longer[place].removeAll { $0 == number }
      guard longer[place].count == 1 else { return }
      handle.word = longer[place][0] | NumberLists.aloneBit
      longer.giveUp(place, leaving: [])
    }
  }

  private static func alone(_ handle: Handle) -> RecordNumber? {
    handle.word & aloneBit == 0 ? nil : RecordNumber(handle.word & ~aloneBit)
  }

  private static func place(of handle: Handle) -> Int { Int(handle.word) - 1 }
}
