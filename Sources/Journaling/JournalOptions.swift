/// What an operator or a test may choose about a journal; it may differ at each opening.
package struct JournalOptions: Sendable {
  /// The length of a new segment in bytes; a longer batch gets a segment of its own length.
  package let segmentBytes: Int

  /// How long snapshots and the segments after them are kept beyond what recovery needs, so that the past can be read from them.
  package let keptSeconds: Int64

  /// Gives the numbers by which stores, segments and snapshots are told from one another, none of them 0.
  let randomNumber: @Sendable () -> UInt64

  /// - Parameters:
  ///   - segmentBytes: 1 KiB to 1 GiB, a multiple of 8; 16 MiB unless told.
  ///   - keptSeconds: 0 keeps what recovery needs.
  ///   - randomNumber: known numbers make known files; anything but a test leaves them to chance.
  package init(
    segmentBytes: Int = 16 << 20, keptSeconds: Int64 = 0,
    randomNumber: @escaping @Sendable () -> UInt64 = { .random(in: 1 ... .max) }
  ) {
    precondition((1 << 10...1 << 30).contains(segmentBytes) && segmentBytes % 8 == 0, "segment length out of bounds")
    self.segmentBytes = segmentBytes
    self.keptSeconds = keptSeconds
    self.randomNumber = randomNumber
  }
}

/// The limits of what is stored, checked when it is written and again when it is read.
package enum JournalLimits {
  /// The longest record.
  package static let recordBytes = 8 << 20
  /// The longest frame, that is, a batch with its header and checksum.
  package static let frameBytes = 16 << 20
  /// What each record adds to its frame beside its own bytes.
  package static let recordOverheadBytes = FrameFormat.recordLengthBytes
  /// The longest batch: the sum of its records and their overheads.
  package static let batchBytes = frameBytes - FrameFormat.recordsOffset - FrameFormat.checksumBytes
  /// The longest block of a snapshot.
  package static let snapshotBlockBytes = 1 << 20
}
