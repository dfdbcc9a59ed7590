/// One file of a data directory, and what all of its bytes turned out to be.
package struct SurveyedFile: Sendable {
  package let name: String
  /// Its length.
  package let bytes: Int
  package let content: Content

  /// What a file is, by its name and then by every byte in it.
  package enum Content: Sendable {
    /// Holds nothing; who has the store open locks it.
    case lock
    case manifest(generation: UInt64)
    /// A header, frames with the records of these revisions, an unfinished write unless that has no bytes, and zeros.
    case segment(revisions: Range<UInt64>, frameBytes: Int, tornBytes: Int)
    case snapshot(revision: UInt64, digest: UInt64, blocks: UInt64)
    /// The end of a segment that a crash left unfinished, cut off by a start; never read.
    case tornTail
    /// What a repair put aside; never read.
    case putAside
    /// A file that a store was still writing; the next start removes it.
    case unfinished
    /// Nothing of a store's.
    case stranger
    /// A file of the store that isn't what was written.
    case damaged(JournalError)
  }
}

/// One segment of the journal as far as it can be believed.
struct SurveyedSegment: Sendable {
  /// The first revision, from its name.
  let first: UInt64
  /// The last revision that is whole; one less than the first where there is none.
  var last: UInt64
  /// Whether everything behind that is zeros, or an unfinished write at the journal's end.
  var isWhole = false
  /// Whether it is proven that it begins where the one before it ends.
  var continues = false
}
