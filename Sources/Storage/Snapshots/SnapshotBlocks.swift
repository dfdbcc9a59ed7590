import Journaling
import Protobuf

/// Packs entries into blocks. A block of the greatest length goes on in the next one: a catalog, or a record that many hold, can be
/// longer.
struct BlockBuilder {
  private var block = StoredBlock()

  /// How many entries go into a block: most have less than a kilobyte.
  private static let entryCount = 64

  /// Adds an entry, and gives the blocks that are ready.
  mutating func add(_ entry: StoredEntry) -> [ArraySlice<UInt8>] {
    block.entries.append(entry)
    return block.entries.count >= BlockBuilder.entryCount ? finish() : []
  }

  /// The blocks of what was added since.
  mutating func finish() -> [ArraySlice<UInt8>] {
    guard !block.entries.isEmpty else { return [] }
    let bytes = block.encoded()
    block.entries = []
    let limit = JournalLimits.snapshotBlockBytes
    // The last piece is shorter than the limit, if need be empty, so that it isn't taken for one that goes on.
    return (0...bytes.count / limit).map { bytes[$0 * limit..<min(($0 + 1) * limit, bytes.count)] }
  }
}

extension BlockBuilder {
  /// Adds an entry, and writes the blocks that are ready.
  mutating func write(_ entry: StoredEntry, to writer: inout SnapshotWriter) throws(JournalError) {
    for block in add(entry) { try writer.write(block.span) }
  }

  /// Writes the blocks of what was added since.
  mutating func finish(to writer: inout SnapshotWriter) throws(JournalError) {
    for block in finish() { try writer.write(block.span) }
  }
}

/// Puts the entries of a snapshot together again.
struct BlockReader {
  private var pending: [UInt8] = []

  /// Whether the last block was said to go on.
  var isIncomplete: Bool { !pending.isEmpty }

  /// Takes one more block, and gives the bytes of each entry that it completes.
  mutating func forEachEntry(in block: [UInt8], _ body: (RawSpan) throws -> Void) throws {
    // Hardly any block goes on in another one, so that hardly any is copied.
    let isLast = block.count < JournalLimits.snapshotBlockBytes
    guard isLast, pending.isEmpty else {
      pending += block
      guard isLast else { return }
      defer { pending = [] }
      return try BlockReader.forEachEntry(of: pending, body)
    }
    try BlockReader.forEachEntry(of: block, body)
  }

  /// Reads a ``StoredBlock`` entry by entry.
  private static func forEachEntry(of message: [UInt8], _ body: (RawSpan) throws -> Void) throws {
    let bytes = unsafe message.span.bytes
    var cursor = ByteCursor()
    while let tag = try cursor.readTag(in: bytes) {
      guard tag == FieldTag(1, .lengthDelimited) else {
        try cursor.skip(tag, in: bytes)
        continue
      }
      try body(bytes.extracting(cursor.readLengthDelimited(in: bytes)))
    }
  }

  /// Takes one more block, and gives the entries that it completes.
  mutating func entries(in block: [UInt8]) throws -> [StoredEntry] {
    var entries: [StoredEntry] = []
    try forEachEntry(in: block) { entries.append(try StoredEntry(entry: $0)) }
    return entries
  }
}

extension StoredEntry {
  /// Reads an entry of a snapshot, whose limit on bytes is the only one.
  init(entry bytes: RawSpan) throws(MalformedMessage) { try self.init(decoding: bytes, elementLimit: .max) }
}
