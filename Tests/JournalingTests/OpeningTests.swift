import Platform
import Testing

@testable import Journaling

@Suite struct OpeningTests {
  @Test("A store that is open is refused to everybody else, until it is closed")
  func lockHeld() throws {
    let directory = try TemporaryDirectory()
    do {
      let (journal, _) = try open(directory.store)
      let error = refusal(directory.store)
      guard case .inUse? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect("\(try #require(error))".contains("in use by another process"))
      _ = try journal.append([record("a")])
    }
    #expect(try contents(of: directory.store).records == ["a"])
  }

  @Test("A directory that holds something else is refused and left as it was")
  func foreignDirectory() throws {
    let directory = try TemporaryDirectory()
    try lay(["letter.txt": record("dear")], in: directory.store)
    let error = refusal(directory.store)
    guard case .notAStore? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try files(in: directory.store) == ["letter.txt": record("dear")])
  }

  @Test(
    "A store is made in an empty directory, whatever an earlier attempt has left",
    arguments: [
      [], ["lock"], ["lost+found"], ["manifest-a.lk.tmp", "lock"],
    ])
  func emptyDirectory(leftovers: [String]) throws {
    let directory = try TemporaryDirectory()
    try lay(Dictionary(uniqueKeysWithValues: leftovers.map { ($0, [UInt8(1)]) }), in: directory.store)
    do { _ = try open(directory.store).0.append([record("a")]) }
    #expect(try contents(of: directory.store).records == ["a"])
  }

  @Test("A new store is for its owner alone")
  func modes() throws {
    let directory = try TemporaryDirectory()
    _ = try open(directory.store)
    #expect(try mode(directory.store) == 0o700)
    for name in try Directory.names(in: directory.store) { #expect(try mode("\(directory.store)/\(name)") == 0o600) }
  }

  @Test(
    "A missing file is refused by name",
    arguments: [
      ["manifest-a.lk", "manifest-b.lk"], [FileNames.segment(first: 1)], ["last segment"],
    ])
  func missingFile(names: [String]) throws {
    let directory = try TemporaryDirectory()
    try fillSegments(directory.store)
    let last = try #require(try Directory.names(in: directory.store).filter { FileNames.segmentRevision($0) != nil }.max())
    for name in names { try Directory.remove("\(directory.store)/\(name == "last segment" ? last : name)") }
    let error = refusal(directory.store)
    guard case .missing(let file)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(file.hasSuffix(names[0] == "last segment" ? last : names[0]))
  }

  @Test("A segment missing from the middle is refused")
  func missingMiddle() throws {
    let directory = try TemporaryDirectory()
    try fillSegments(directory.store)
    let segments = try Directory.names(in: directory.store).filter { FileNames.segmentRevision($0) != nil }
    try Directory.remove("\(directory.store)/\(segments[1])")
    #expect(refusal(directory.store) != nil)
  }

  @Test("One copy of the manifest is enough, and the other is made again", arguments: FileNames.manifests)
  func oneManifest(name: String) throws {
    let directory = try TemporaryDirectory()
    try fillSegments(directory.store)
    let expected = try contents(of: directory.store).records
    try Directory.remove("\(directory.store)/\(name)")
    let recovered = try contents(of: directory.store)
    #expect(recovered.records == expected)
    #expect(recovered.warnings.count == 1)
    #expect(try contents(of: directory.store).warnings.isEmpty)
  }

  @Test(
    "A file of a newer version or with an unknown incompatible feature is refused in plain words; a compatible one is not",
    arguments: [
      (HeaderFormat.versionOffset, "version 257"), (HeaderFormat.incompatibleOffset, "does not know"),
      (HeaderFormat.compatibleOffset, nil),
    ])
  func features(offset: Int, words: String?) throws {
    for target in ["manifest", "journal", "snapshot"] {
      let directory = try TemporaryDirectory()
      do {
        let (journal, _) = try open(directory.store)
        _ = try journal.append([record("a")])
        try journal.writeSnapshot(revision: 1, digest: 0) { _ in }
      }
      var stored = try files(in: directory.store)
      for (name, bytes) in stored where name.hasPrefix(target) {
        var changed = bytes
        changed[offset + 1] = 1
        var header = Array(changed.prefix(HeaderFormat.checksumOffset))
        header.appendChecksum()
        stored[name] = header + bytes.dropFirst(HeaderFormat.byteCount)
      }
      // Frames and blocks follow the header's checksum, so only the manifest opens with another header.
      if words == nil && target != "manifest" { continue }
      try lay(stored, in: directory.store)
      let error = refusal(directory.store)
      if let words {
        #expect("\(try #require(error))".contains(words))
        #expect("\(try #require(error))".contains("newer Latchkey"))
      } else {
        #expect(error == nil)
      }
    }
  }

  @Test("A segment of another store is refused")
  func otherStore() throws {
    let directory = try TemporaryDirectory()
    let other = directory.path + "/other"
    for path in [directory.store, other] { _ = try open(path).0.append([record("a")]) }
    let name = FileNames.segment(first: 1)
    try write(WholeFile.read("\(other)/\(name)", limit: .max), to: "\(directory.store)/\(name)")
    #expect("\(try #require(refusal(directory.store)))".contains("another store"))
  }

  @Test("A record that the caller refuses stops recovery with its revision")
  func rejected() throws {
    struct Refused: Error {}
    let directory = try TemporaryDirectory()
    do { _ = try open(directory.store).0.append(["a", "b"].map(record)) }
    let error = #expect(throws: JournalError.self) {
      _ = try JournalDirectory.open(directory.store).recover(
        snapshot: { _ in }, record: { revision, _ in if revision == 2 { throw Refused() } })
    }
    #expect("\(try #require(error))".contains("revision 2"))
  }
}

/// Fills several segments and closes the store sealed.
private func fillSegments(_ path: String) throws {
  let (journal, _) = try open(path)
  for number in 0..<20 { _ = try journal.append([record(String(repeating: "r", count: 200) + "\(number)")]) }
  try journal.seal()
}
