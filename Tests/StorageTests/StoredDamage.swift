import TestSupport

/// One way in which stored files may be changed without their process.
enum StoredDamage: CustomStringConvertible {
  case flippedBit(file: String, bit: Int)
  case cut(file: String, length: Int)
  case zeros(file: String, from: Int)
  /// A sector reads as zeros.
  case lostSector(file: String, offset: Int)
  case missing(file: String)
  case swapped(file: String, other: String)
  /// A file has another one's bytes, or is there where none was.
  case copied(from: String, to: String)

  static let sectorBytes = 512

  var description: String {
    switch self {
    case .flippedBit(let file, let bit): "\(file): bit \(bit) flipped"
    case .cut(let file, let length): "\(file): cut to \(length) bytes"
    case .zeros(let file, let start): "\(file): zeros from \(start)"
    case .lostSector(let file, let offset): "\(file): the sector at \(offset) lost"
    case .missing(let file): "\(file) missing"
    case .swapped(let file, let other): "\(file) and \(other) swapped"
    case .copied(let source, let target): "\(target) a copy of \(source)"
    }
  }

  /// The file that lost some of its bytes for zeros or for nothing, as a lost write would do it; nil for any other damage.
  var shortenedFile: String? {
    switch self {
    case .cut(let file, _), .zeros(let file, _), .lostSector(let file, _): file
    default: nil
    }
  }

  /// The files with this damage; nil where it changes no byte.
  func applied(to files: [String: [UInt8]]) -> [String: [UInt8]]? {
    var damaged = files
    switch self {
    case .flippedBit(let file, let bit): damaged[file]?[bit / 8] ^= 1 << UInt8(bit % 8)
    case .cut(let file, let length): damaged[file]?.removeSubrange(length...)
    case .zeros(let file, let start): damaged[file]?.clear(start...)
    case .lostSector(let file, let offset): damaged[file]?.clear(offset..<offset + StoredDamage.sectorBytes)
    case .missing(let file): damaged[file] = nil
    case .swapped(let file, let other): (damaged[file], damaged[other]) = (files[other], files[file])
    case .copied(let source, let target): damaged[target] = files[source]
    }
    return damaged == files ? nil : damaged
  }
}

// MARK: - All of them

extension StoredDamage {
  /// Every damage to the bytes of one file: each bit, each length, each end of zeros, each sector.
  static func all(ofBytesIn file: String, count: Int) -> [StoredDamage] {
    (0..<count * 8).map { .flippedBit(file: file, bit: $0) }
      + (0..<count).map { .cut(file: file, length: $0) }
      + (0..<count).map { .zeros(file: file, from: $0) }
      + stride(from: 0, to: count, by: sectorBytes).map { .lostSector(file: file, offset: $0) }
  }

  /// Every damage to files as a whole: each one missing, each two swapped, each one in the place of another, and under a new name.
  static func all(ofFiles names: [String]) -> [StoredDamage] {
    let pairs = names.flatMap { file in names.filter { $0 != file }.map { (file, $0) } }
    return names.map { .missing(file: $0) }
      + pairs.filter { $0 < $1 }.map { .swapped(file: $0, other: $1) }
      + pairs.map { .copied(from: $0, to: $1) }
      + names.flatMap { file in newNames(besides: names).map { .copied(from: file, to: $0) } }
  }

  /// Names of segments and snapshots that the store doesn't have: before, within and after what it holds.
  private static func newNames(besides names: [String]) -> [String] {
    ["journal-", "snapshot-"].flatMap { kind in
      (1...99).map { kind + String(repeating: "0", count: $0 < 10 ? 19 : 18) + "\($0).lk" }
    }.filter { !names.contains($0) }
  }
}

extension [UInt8] {
  /// Puts zeros in a range, as far as there are bytes.
  fileprivate mutating func clear(_ range: some RangeExpression<Int>) {
    for index in range.relative(to: self).clamped(to: indices) { self[index] = 0 }
  }
}
