/// The names of the files in a data directory, made and read in one place.
enum FileNames {
  static let lock = "lock"
  static let manifests = ["manifest-a.lk", "manifest-b.lk"]
  /// The end of the name of a file that is not yet whole; such a file is removed at the next opening.
  static let unfinished = ".tmp"
  /// The end of the name of a cut end of a segment.
  static let tornEnding = ".torn"
  /// The end of the name of a file that a repair put aside.
  static let putAsideEnding = ".damaged"

  /// The segment whose first record has this revision.
  static func segment(first revision: UInt64) -> String { "journal-\(digits(of: revision)).lk" }

  /// The snapshot of the state as of this revision.
  static func snapshot(of revision: UInt64) -> String { "snapshot-\(digits(of: revision)).lk" }

  /// Where the cut end of a segment is kept.
  static func torn(_ segment: String, at offset: Int, attempt: Int) -> String { "\(segment)-\(offset)-\(attempt)\(tornEnding)" }

  /// Where a file that a repair replaces is kept.
  static func putAside(_ name: String, attempt: Int) -> String { "\(name)-\(attempt)\(putAsideEnding)" }

  /// True for the name of a manifest, a segment or a snapshot.
  static func isStored(_ name: String) -> Bool {
    manifests.contains(name) || segmentRevision(name) != nil || snapshotRevision(name) != nil
  }

  /// The first revision in a segment's name, or nil for any other name.
  static func segmentRevision(_ name: String) -> UInt64? { revision(in: name, after: "journal-") }

  /// The revision in a snapshot's name, or nil for any other name.
  static func snapshotRevision(_ name: String) -> UInt64? { revision(in: name, after: "snapshot-") }

  /// True for the name of a file that a store was still writing.
  static func isUnfinished(_ name: String) -> Bool {
    name.hasSuffix(unfinished) && ["journal-", "snapshot-", "manifest-"].contains { name.hasPrefix($0) }
  }

  /// True for what may lie in a directory that still counts as empty.
  static func isNothing(_ name: String) -> Bool { name == lock || name == "lost+found" || isUnfinished(name) }

  private static func digits(of revision: UInt64) -> String {
    let digits = String(revision)
    return String(repeating: "0", count: 20 - digits.count) + digits
  }

  private static func revision(in name: String, after prefix: String) -> UInt64? {
    guard name.hasPrefix(prefix), name.hasSuffix(".lk") else { return nil }
    let digits = name.dropFirst(prefix.count).dropLast(3)
    guard digits.utf8.count == 20, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return UInt64(digits)
  }
}
