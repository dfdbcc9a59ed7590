/// Something that an operator should know, though the store is whole.
package enum RecoveryWarning: Equatable, Sendable, CustomStringConvertible {
  /// One copy of the manifest was bad and was written again from the other.
  case manifestCopyReplaced(reason: String)
  /// The newest snapshot is damaged, so that an older one and more of the journal were used.
  case snapshotSkipped(reason: String)
  /// The last write of the process before was cut short, and the rest of it was taken away and kept.
  case tornTail(file: String, offset: Int, bytes: Int, keptIn: String)

  package var description: String {
    switch self {
    case .manifestCopyReplaced(let reason): "A copy of the manifest was replaced: \(reason)"
    case .snapshotSkipped(let reason): "A snapshot was not used: \(reason)"
    case .tornTail(let file, let offset, let bytes, let keptIn):
      "\(file) ended in \(bytes) bytes of an unfinished write at offset \(offset), which were moved to \(keptIn)."
    }
  }
}

/// What recovery found.
package struct RecoverySummary: Equatable, Sendable {
  /// The revision and the digest of the snapshot that was used, if any.
  package internal(set) var snapshotRevision: UInt64?
  package internal(set) var snapshotDigest: UInt64?
  /// The number of records that were replayed after it.
  package internal(set) var recordCount: UInt64 = 0
  /// The number of digests in the journal with which the state agreed on the way.
  package internal(set) var digestCount = 0
  /// The revision of the last record, or of the snapshot when there is none after it; 0 for an empty store.
  package internal(set) var lastRevision: UInt64 = 0
  package internal(set) var warnings: [RecoveryWarning] = []
}

/// How far recovery has come.
package struct RecoveryProgress: Equatable, Sendable {
  /// The journal segments replayed so far, and all that are to be replayed.
  package let segmentsDone: Int
  package let segmentsTotal: Int
  /// The revision of the last record replayed.
  package let lastRevision: UInt64
}
