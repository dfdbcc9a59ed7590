import Platform
import Testing

@testable import Storage

struct RevisionWaiterTests {
  private let waiters = RevisionWaiters()
  private let answers = Guarded<[String]>([])

  private func wait(_ name: String, for revision: UInt64) -> UInt64? {
    waiters.wait(for: revision) { [answers] isReached in answers.withLock { $0.append("\(name) \(isReached)") } }
  }

  @Test("Who waits for a revision is called back once it is reached, and at once if it is already")
  func reached() {
    waiters.advance(to: 5)
    #expect(wait("before", for: 4) == nil)
    #expect(wait("now", for: 5) == nil)
    #expect(wait("next", for: 6) != nil)
    #expect(wait("later", for: 8) != nil)
    #expect(answers.withLock { $0 } == ["before true", "now true"])
    waiters.advance(to: 7)
    waiters.advance(to: 7)
    #expect(answers.withLock { $0 } == ["before true", "now true", "next true"])
    waiters.advance(to: 8)
    #expect(answers.withLock { $0.last } == "later true")
  }

  @Test("Who gives up is called back with false, and only once")
  func givenUp() throws {
    let number = try #require(wait("impatient", for: 1))
    waiters.giveUp(number)
    waiters.giveUp(number)
    waiters.advance(to: 1)
    #expect(answers.withLock { $0 } == ["impatient false"])
    let other = wait("late", for: 1)
    #expect(other == nil)
  }

  @Test("So many wait and no more")
  func limit() {
    for _ in 1..<RevisionWaiters.limit { _ = waiters.wait(for: 9) { _ in } }
    #expect(wait("last", for: 9) != nil)
    #expect(wait("one too many", for: 9) == nil)
    #expect(answers.withLock { $0 } == ["one too many false"])
    waiters.advance(to: 9)
    #expect(answers.withLock { $0 } == ["one too many false", "last true"])
  }

  @Test("A store calls back those who wait for its next revision, after it is visible")
  func store() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let seen = AwaitedValue<AccessBlock.Answer?>(nil)
    _ = store.waiters.wait(for: 2) { _ in seen.update { $0 = store.answer("anna") } }
    try store.record(lifetime("1"), as: "anna")
    #expect(seen.wait { $0 }.reason == .purchased)
  }
}
