/// The number under which a table knows an id.
struct TableNumber<Content>: Hashable, Sendable, BitwiseCopyable {
  let rawValue: UInt32

  /// Stands for no id.
  static var none: TableNumber { TableNumber(rawValue: .max) }

  /// Stands for an id that no table knows yet.
  static var unknown: TableNumber { TableNumber(rawValue: .max - 1) }

  var isNone: Bool { self == .none }
}

/// What is known of ids, each under a number that it has until it is removed.
///
/// The bytes of the ids stand in the `TextStore` of the ledger.
struct IdentifierTable<Content: Sendable>: Sendable {
  typealias Number = TableNumber<Content>

  /// An id within an environment; of what has none, within number zero.
  private struct Entry: Sendable {
    var id: PackedIdentifier
    var environment: UInt32
    var content: Content
  }

  private var entries = PlacedValues<Entry>()
  private var index = NumberIndex()

  /// How many ids it knows.
  var count: Int { index.count }

  /// The numbers that it gave so far, those of removed ids included.
  var numbers: Range<Int> { entries.places }

  /// An id that was looked for, with what to add it by.
  struct Sought: BitwiseCopyable {
    /// Nil where it isn't there.
    let number: Number?
    fileprivate let hash: Int
  }

  func number(of id: Identifier, in environment: UInt32 = 0, _ texts: TextStore) -> Number? {
    seek(id, in: environment, texts).number
  }

  /// Looks for an id that may be added next.
  func seek(_ id: Identifier, in environment: UInt32 = 0, _ texts: TextStore) -> Sought {
    let hash = id.hashValue
    let found = index.find(hash) { number in
      entries[number].environment == environment && texts.isEqual(entries[number].id, id)
    }
    return Sought(number: found.map { Number(rawValue: UInt32($0)) }, hash: hash)
  }

  /// The number of an id, which is added where it isn't there.
  mutating func number(of id: Identifier, in environment: UInt32 = 0, _ texts: inout TextStore, adding content: Content) -> Number
  {
    number(of: id, seek(id, in: environment, texts), in: environment, &texts, adding: content)
  }

  /// The same of an id that was looked for since the table last changed.
  mutating func number(
    of id: Identifier, _ sought: Sought, in environment: UInt32 = 0, _ texts: inout TextStore, adding content: Content
  ) -> Number {
    if let known = sought.number { return known }
    let number = entries.keep(Entry(id: texts.pack(id), environment: environment, content: content))
    index.insert(number, sought.hash)
    return Number(rawValue: UInt32(number))
  }

  mutating func remove(_ number: Number, _ texts: inout TextStore) {
    index.remove(Int(number.rawValue), id(of: number, texts).hashValue)
    var entry = entries[Int(number.rawValue)]
    texts.free(entry.id)
    entry.id = .none
    entries.giveUp(Int(number.rawValue), leaving: entry)
  }

  func isKnown(_ number: Number) -> Bool { entries[Int(number.rawValue)].id != .none }

  func id(of number: Number, _ texts: TextStore) -> Identifier { texts.unpack(entries[Int(number.rawValue)].id) }

  func environment(of number: Number) -> UInt32 { entries[Int(number.rawValue)].environment }

  subscript(number: Number) -> Content {
    _read { yield entries[Int(number.rawValue)].content }
    _modify { yield &entries[Int(number.rawValue)].content }
  }
}
