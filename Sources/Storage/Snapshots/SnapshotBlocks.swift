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

  /// Takes one more block, and gives the entries that it completes.
  mutating func entries(in block: [UInt8]) throws(MalformedMessage) -> [StoredEntry] {
    pending += block
    guard block.count < JournalLimits.snapshotBlockBytes else { return [] }
    defer { pending = [] }
    return try StoredBlock(decoding: pending, elementLimit: .max).entries
  }
}
