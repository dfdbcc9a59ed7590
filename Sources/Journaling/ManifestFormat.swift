/// The layout of the manifest: a header block and nothing else. See docs/snapshot-format.md.
enum ManifestFormat {
  static let generationField = 0
  static let firstSegmentField = 1
  static let lastSegmentField = 2
  static let previousSnapshotField = 3
  static let newestSnapshotField = 4
  static let completeRevisionField = 5
  /// The number of snapshots that stay: the newest, and the one before it in case the newest is damaged.
  static let snapshotGenerations = 2
}
