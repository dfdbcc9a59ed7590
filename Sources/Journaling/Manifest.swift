/// The table of contents of a store: what must be there for it to be whole.
struct Manifest: Equatable, Sendable {
  let store: StoreIdentity
  /// Counts the changes of this table; of two copies the higher one holds.
  var generation: UInt64 = 0
  /// The first revision of the oldest segment that is needed.
  var firstSegment: UInt64 = 1
  /// The first revision of the segment that is written to, or 0 before there is one.
  var lastSegment: UInt64 = 0
  /// The revisions of the live snapshots, oldest first, two at most.
  var snapshots: [UInt64] = []
  /// Every record up to this revision was on the disk: a journal that ends before it has lost its end, which no crash does.
  var completeRevision: UInt64 = 0

  /// The bytes of a manifest file.
  func encoded() -> [UInt8] {
    let known = [UInt64](repeating: 0, count: ManifestFormat.snapshotGenerations - snapshots.count) + snapshots
    return HeaderBlock(
      kind: .manifest, store: store, fields: [generation, firstSegment, lastSegment] + known + [completeRevision]
    )
    .encoded()
  }

  /// Reads a manifest file.
  static func decode(_ bytes: RawSpan, file: String) throws(JournalError) -> Manifest {
    let header = try HeaderBlock.decode(bytes, kind: .manifest, store: nil, file: file)
    guard bytes.byteCount == HeaderFormat.byteCount else {
      throw .damaged(file: file, offset: HeaderFormat.byteCount, reason: "there is something after the manifest")
    }
    let snapshots = header.fields[ManifestFormat.previousSnapshotField...ManifestFormat.newestSnapshotField].filter { $0 != 0 }
    return Manifest(
      store: header.store, generation: header.fields[ManifestFormat.generationField],
      firstSegment: header.fields[ManifestFormat.firstSegmentField],
      lastSegment: header.fields[ManifestFormat.lastSegmentField], snapshots: snapshots,
      completeRevision: header.fields[ManifestFormat.completeRevisionField])
  }

  /// Takes in a new newest snapshot, of what is on the disk, and lets go of all but two.
  mutating func add(snapshot revision: UInt64) {
    completeRevision = max(completeRevision, revision)
    snapshots = Array((snapshots + [revision]).suffix(ManifestFormat.snapshotGenerations))
  }
}
