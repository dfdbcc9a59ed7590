import Testing

@testable import Journaling

/// A store whose files were mixed from two lives that began alike, as after a restore that was only half done.
@Suite struct OtherHistoryTests {
  private static let name = FileNames.segment(first: 1)

  /// The files of a store that began as `start` and went on with eight records of a letter.
  private func goOn(
    from start: [String: [UInt8]], with letter: String, in path: String, options: JournalOptions
  ) throws -> [String: [UInt8]] {
    try lay(start, in: path)
    do {
      let (journal, _) = try open(path, options: options)
      for _ in 0..<8 { _ = try journal.append([record(String(repeating: letter, count: 150))]) }
    }
    return try files(in: path)
  }

  private func twoLives(in path: String, options: JournalOptions) throws -> (a: [String: [UInt8]], b: [String: [UInt8]]) {
    do { _ = try open(path, options: options).0.append([record("start")]) }
    let start = try files(in: path)
    return (
      try goOn(from: start, with: "a", in: path, options: options), try goOn(from: start, with: "b", in: path, options: options)
    )
  }

  @Test("A segment before one of another history is refused")
  func segments() throws {
    let directory = try TemporaryDirectory()
    let lives = try twoLives(in: directory.store, options: smallSegments)
    try lay(lives.a.merging([Self.name: lives.b[Self.name, default: []]]) { $1 }, in: directory.store)
    #expect("\(try #require(refusal(directory.store)))".contains("does not end where the next one"))
  }

  @Test("A frame after one of another history is refused at its offset")
  func frames() throws {
    let directory = try TemporaryDirectory()
    let lives = try twoLives(in: directory.store, options: JournalOptions(segmentBytes: 16 << 10))
    let segments = (a: lives.a[Self.name, default: []], b: lives.b[Self.name, default: []])
    let cut = try endsOfFrames(segments.a)[4]
    let mixed = Array(segments.a[..<cut] + segments.b[cut...])
    try lay(lives.a.merging([Self.name: mixed]) { $1 }, in: directory.store)
    guard case .damaged(_, let offset, let reason)? = refusal(directory.store) else {
      Issue.record("a mixed journal was accepted")
      return
    }
    #expect(offset == cut)
    #expect(reason == "the frame does not follow the one before it")
  }
}
