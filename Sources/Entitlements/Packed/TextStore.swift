/// The bytes of ids that don't fit into eight: in units of eight bytes, one behind the other, without a word between them.
///
/// What is given back waits for the next of its length, so that a ledger that goes on for years needs no more than what it holds.
struct TextStore: Sendable {
  private var units = ChunkedArray<UInt64>()
  /// For each count of units, the places that were given back.
  private var waiting: [Int: [UInt32]] = [:]

  /// Keeps as many units as there are, and gives the place of the first one.
  fileprivate mutating func add(_ count: Int, _ unit: (Int) -> UInt64) -> UInt32 {
    if let place = waiting[count]?.popLast() {
      for index in 0..<count { units[Int(place) + index] = unit(index) }
      return place
    }
    let place = UInt32(units.count)
    for index in 0..<count { units.append(unit(index)) }
    return place
  }

  fileprivate mutating func remove(_ place: UInt32, _ count: Int) {
    // The bytes of somebody who was erased don't stay.
    for index in 0..<count { units[Int(place) + index] = 0 }
    waiting[count, default: []].append(place)
  }

  fileprivate subscript(place: UInt32, index: Int) -> UInt64 { units[Int(place) + index] }
}

/// An id in eight bytes: a number itself, or where its bytes stand in a `TextStore`.
///
///     2 bits   0: a number, zero for the empty id; 1: a UUID; 2: one in capital letters; 3: text
///     62 bits  the number, or 30 bits of the text's length and 32 of its place
struct PackedIdentifier: Hashable, Sendable, BitwiseCopyable {
  fileprivate let word: UInt64

  /// Stands for no id at all.
  static let none = PackedIdentifier(word: .max)
  static let empty = PackedIdentifier(word: 0)

  fileprivate init(word: UInt64) { self.word = word }

  fileprivate enum Kind: UInt64 {
    case number, uuid, capitalUUID, text
  }

  fileprivate static let numberLimit: UInt64 = 1 << 62

  fileprivate init(_ kind: Kind, length: Int = 0, at place: UInt32) {
    precondition(length < 1 << 30, "an id is shorter than a gigabyte")
    word = kind.rawValue << 62 | UInt64(length) << 32 | UInt64(place)
  }

  fileprivate var kind: Kind {
    guard let kind = Kind(rawValue: word >> 62) else { preconditionFailure("two bits are four kinds") }
    return kind
  }
  fileprivate var length: Int { Int(word >> 32 & 0x3FFF_FFFF) }
  fileprivate var place: UInt32 { UInt32(truncatingIfNeeded: word) }
}

extension TextStore {
  /// Keeps an id; what is returned belongs to whoever asked, until it is given back.
  mutating func pack(_ id: Identifier) -> PackedIdentifier {
    switch id.form {
    case .number(let number) where number < PackedIdentifier.numberLimit: return PackedIdentifier(number)
    case .uuid(let bits, let letters):
      let place = add(2) { $0 == 0 ? bits.high : bits.low }
      return PackedIdentifier(letters == .lower ? .uuid : .capitalUUID, at: place)
    case .number, .text: return pack(id.text)
    }
  }

  private mutating func pack(_ text: String) -> PackedIdentifier {
    if text.isEmpty { return .empty }
    let bytes = text.utf8.span
    let place = add((bytes.count + 7) / 8) { bytes.word(at: $0) }
    return PackedIdentifier(.text, length: bytes.count, at: place)
  }

  /// The id that is kept.
  ///
  /// - Precondition: it isn't none, and was not given back.
  func unpack(_ packed: PackedIdentifier) -> Identifier {
    switch packed.kind {
    case .number: packed == .empty ? Identifier(form: .text("")) : Identifier(form: .number(packed.number))
    case .uuid: Identifier(form: .uuid(bits(of: packed), .lower))
    case .capitalUUID: Identifier(form: .uuid(bits(of: packed), .upper))
    case .text: Identifier(text(of: packed))
    }
  }

  private func bits(of packed: PackedIdentifier) -> UUIDBits {
    UUIDBits(high: self[packed.place, 0], low: self[packed.place, 1])
  }

  private func text(of packed: PackedIdentifier) -> String {
    unsafe String(unsafeUninitializedCapacity: packed.length) { buffer in
      for unit in 0..<(packed.length + 7) / 8 {
        var rest = self[packed.place, unit]
        if unit * 8 + 8 <= packed.length {
          unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(of: rest.littleEndian, toByteOffset: unit * 8, as: UInt64.self)
          continue
        }
        for index in unit * 8..<min(unit * 8 + 8, packed.length) {
          unsafe buffer[index] = UInt8(truncatingIfNeeded: rest)
          rest >>= 8
        }
      }
      return packed.length
    }
  }

  /// Whether it is an id that is kept.
  func isEqual(_ packed: PackedIdentifier, _ id: Identifier) -> Bool {
    switch (packed.kind, id.form) {
    case (.number, .number(let number)): packed.number == number
    case (.uuid, .uuid(let bits, .lower)), (.capitalUUID, .uuid(let bits, .upper)): self.bits(of: packed) == bits
    case (.text, .text(let text)): packed.length == text.utf8.count && isEqual(packed, text.utf8.span)
    case (.text, .number): unpack(packed) == id
    default: packed == .empty && id.isEmpty
    }
  }

  private func isEqual(_ packed: PackedIdentifier, _ bytes: Span<UInt8>) -> Bool {
    for index in 0..<(bytes.count + 7) / 8 where bytes.word(at: index) != self[packed.place, index] { return false }
    return true
  }

  /// Gives the bytes of an id back.
  mutating func free(_ packed: PackedIdentifier) {
    if packed == .none { return }
    switch packed.kind {
    case .number: return
    case .uuid, .capitalUUID: remove(packed.place, 2)
    case .text: remove(packed.place, (packed.length + 7) / 8)
    }
  }
}

extension PackedIdentifier {
  fileprivate init(_ number: UInt64) { self.init(word: number) }
  fileprivate var number: UInt64 { word }
}
