import Platform

/// What a data directory holds, looked at file by file without changing a byte of it.
///
/// Unlike recovery it goes on behind damage, so that it can tell all that is wrong, and what is left. While it lives nobody can
/// open the store.
package struct StoreSurvey: ~Copyable {
  /// Whom a survey shares the directory with meanwhile.
  package enum Hold: Sendable {
    /// Other surveys; nothing is made on the disk.
    case shared
    /// Nobody, since a repair follows.
    case alone
  }

  package let directory: String
  /// Every file, in the order of their names.
  package private(set) var files: [SurveyedFile] = []
  /// All that a start, or somebody who trusts the bytes, would have to know of: what the manifest misses, then file by file.
  package private(set) var damages: [JournalError] = []
  /// The newest manifest, unless both copies are bad.
  private(set) var manifest: Manifest?
  /// Whose files these are; nil where no file tells.
  private(set) var store: StoreIdentity?
  /// In the order of their revisions.
  private(set) var segments: [SurveyedSegment] = []
  /// The digests of the snapshots that are whole, by revision.
  package private(set) var snapshotDigests: [UInt64: UInt64] = [:]
  /// The digests that the journal tells, by the revision of the state.
  package private(set) var notedDigests: [UInt64: UInt64] = [:]
  private let lock: FileLock?

  private init(of directory: String, lock: consuming FileLock?) {
    self.directory = directory
    self.lock = lock
  }

  /// Reads every file of a store.
  ///
  /// - Throws: `.inUse`, `.notAStore`, `.system` where the directory can't be read. What is wrong with a file is in `damages`.
  package static func read(_ directory: String, hold: Hold = .shared) throws(JournalError) -> StoreSurvey {
    let names = try reading { () throws(SystemError) in try Directory.names(in: directory) }
    let own = names.filter(FileNames.isStored)
    guard !own.isEmpty else { throw .notAStore(directory: directory, reason: "it holds no manifest, segment or snapshot") }
    var survey = StoreSurvey(of: directory, lock: try take(hold, of: directory))
    survey.surveyManifests(own)
    survey.store = survey.manifest?.store ?? identity(among: own, in: directory)
    survey.surveySegments(own.compactMap(FileNames.segmentRevision).sorted())
    for revision in own.compactMap(FileNames.snapshotRevision).sorted() { survey.surveySnapshot(revision) }
    for name in names where !own.contains(name) { survey.add(name, content(byName: name)) }
    survey.checkCompleteness(own)
    survey.files.sort { $0.name < $1.name }
    return survey
  }

  /// Locks the directory; nil where a copy of a store lacks the file, and so nobody has it open.
  private static func take(_ hold: Hold, of directory: String) throws(JournalError) -> FileLock? {
    let path = "\(directory)/\(FileNames.lock)"
    if hold == .shared, try !reading({ () throws(SystemError) in try Directory.exists(path) }) { return nil }
    let lock = try reading { () throws(SystemError) in
      hold == .shared ? try FileLock.share(path) : try FileLock.acquire(path)
    }
    guard let lock else { throw .inUse(directory: directory) }
    return lock
  }

  /// The identity in the header of the oldest file that has a good one: what a repair left unfinished is newer.
  private static func identity(among names: [String], in directory: String) -> StoreIdentity? {
    for name in names where !FileNames.manifests.contains(name) {
      let kind: FileKind = FileNames.segmentRevision(name) == nil ? .snapshot : .segment
      let path = "\(directory)/\(name)"
      guard let head = try? WholeFile.read(path, limit: HeaderFormat.byteCount),
        let header = try? HeaderBlock.decode(unsafe head.span.bytes, kind: kind, store: nil, file: path)
      else { continue }
      return header.store
    }
    return nil
  }

  private static func content(byName name: String) -> SurveyedFile.Content {
    if name == FileNames.lock { return .lock }
    if name.hasSuffix(FileNames.tornEnding) { return .tornTail }
    if name.hasSuffix(FileNames.putAsideEnding) { return .putAside }
    return FileNames.isUnfinished(name) ? .unfinished : .stranger
  }
}

// MARK: - File by file

extension StoreSurvey {
  private mutating func add(_ name: String, _ content: SurveyedFile.Content) {
    let bytes = (try? Directory.byteCount(of: "\(directory)/\(name)")) ?? 0
    files.append(SurveyedFile(name: name, bytes: bytes, content: content))
    if case .damaged(let error) = content { damages.append(error) }
  }

  private mutating func surveyManifests(_ names: [String]) {
    for name in FileNames.manifests {
      let path = "\(directory)/\(name)"
      guard names.contains(name) else {
        damages.append(.missing(file: path))
        continue
      }
      do throws(JournalError) {
        let copy = try ManifestFile.read(path)
        if copy.generation >= manifest?.generation ?? 0 { manifest = copy }
        add(name, .manifest(generation: copy.generation))
      } catch {
        add(name, .damaged(error))
      }
    }
  }

  private mutating func surveySegments(_ firsts: [UInt64]) {
    guard let store else {
      for first in firsts { addUnowned(FileNames.segment(first: first)) }
      return
    }
    let reader = SegmentReader(directory: directory, store: store)
    var previous: ReplayedSegment?
    for first in firsts {
      let isLast = first == firsts.last && first >= manifest?.lastSegment ?? 0
      previous = survey(segment: first, isLast: isLast, after: previous, reader)
    }
  }

  /// Reads one segment by itself, then looks at the seam before it; gives it back where it is whole.
  private mutating func survey(
    segment first: UInt64, isLast: Bool, after previous: ReplayedSegment?, _ reader: SegmentReader
  ) -> ReplayedSegment? {
    let name = FileNames.segment(first: first)
    var segment = SurveyedSegment(first: first, last: first - 1)
    defer { segments.append(segment) }
    do throws(JournalError) {
      let replayed = try reader.replay(first: first, after: nil, isLast: isLast) { (revision, _) in segment.last = revision }
      segment.isWhole = true
      notedDigests.merge(replayed.digests) { $1 }
      segment.continues = continues(replayed, after: previous, reader)
      let frameBytes = replayed.end - SegmentFormat.framesOffset
      add(
        name,
        .segment(revisions: first..<(segment.last + 1), frameBytes: frameBytes, tornBytes: replayed.tornTail.count))
      return replayed
    } catch {
      add(name, .damaged(error))
      return nil
    }
  }

  /// Whether a segment follows the one before it; a seam that doesn't hold is damage, whatever each of the two is.
  private mutating func continues(_ segment: ReplayedSegment, after previous: ReplayedSegment?, _ reader: SegmentReader) -> Bool {
    guard let previous else { return false }
    do throws(JournalError) {
      try reader.checkSeam(between: previous, and: segment.header, file: segment.path)
      return true
    } catch {
      damages.append(error)
      return false
    }
  }

  private mutating func surveySnapshot(_ revision: UInt64) {
    let name = FileNames.snapshot(of: revision)
    guard let store else { return addUnowned(name) }
    do throws(JournalError) {
      var reader = try SnapshotReader(path: "\(directory)/\(name)", store: store, revision: revision)
      try reader.readToEnd()
      snapshotDigests[revision] = reader.digest
      add(name, .snapshot(revision: revision, digest: reader.digest, blocks: reader.blockCount))
    } catch {
      add(name, .damaged(error))
    }
  }

  private mutating func addUnowned(_ name: String) {
    add(name, .damaged(.damaged(file: "\(directory)/\(name)", offset: 0, reason: "no file tells whose store this is")))
  }

  /// Finds what the manifest names and isn't there, and a journal that ends before what it is known to have held.
  private mutating func checkCompleteness(_ names: [String]) {
    guard let manifest else { return }
    let needed =
      manifest.snapshots.map(FileNames.snapshot)
      + (manifest.lastSegment == 0 ? [] : Set([manifest.firstSegment, manifest.lastSegment]).sorted().map(FileNames.segment))
    for name in needed where !names.contains(name) { damages.append(.missing(file: "\(directory)/\(name)")) }
    let known = max(manifest.snapshots.last ?? 0, manifest.completeRevision)
    guard let end = segments.last, end.isWhole, end.last < known else { return }
    damages.append(
      .damaged(
        file: "\(directory)/\(FileNames.segment(first: end.first))", offset: 0,
        reason: "the journal ends at revision \(end.last), but was complete on the disk up to revision \(known)"))
  }
}
