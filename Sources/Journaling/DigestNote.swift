/// The digest that the state had after a revision, noted in the journal so that a replay can be held to it.
struct DigestNote: Equatable, Sendable {
  /// From 1 to the revision of the last record before the note.
  let revision: UInt64
  let digest: UInt64

  /// The length of the one record in its frame.
  static let byteCount = 16

  /// The bytes of that record.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(integer: revision)
    bytes.append(integer: digest)
    return bytes
  }

  /// Reads a note, or nil when the bytes are not one.
  static func decode(_ bytes: RawSpan) -> DigestNote? {
    guard bytes.byteCount == byteCount else { return nil }
    return DigestNote(revision: bytes.integer(at: 0, as: UInt64.self), digest: bytes.integer(at: 8, as: UInt64.self))
  }
}
