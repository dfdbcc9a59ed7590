import Entitlements
import Glibc
import Journaling
import Platform
import Testing

@testable import Storage

/// The answers to several submissions, in the order in which they came.
private final class Answers: Sendable {
  private let answers = AwaitedValue<[Result<Applied, StoreError>]>([])

  func add(_ answer: Result<Applied, StoreError>) { answers.update { $0.append(answer) } }

  /// Waits for so many answers.
  func wait(for count: Int) -> [Result<Applied, StoreError>] { answers.wait { $0.count < count ? nil : $0 } }

  /// The answers so far.
  var soFar: [Result<Applied, StoreError>] { answers.update { $0 } }
}

extension EntitlementStore {
  fileprivate func submit(_ transaction: Transaction, to answers: Answers) {
    submit(.recording(recording(transaction, as: "anna")), answers.add)
  }

  private func recording(_ transaction: Transaction, as customer: CustomerID) -> Recording {
    Recording(customer: customer, rows: [.init(transaction: transaction)], receivedAt: day(1))
  }
}

extension Recording {
  /// As many rows and renewal infos of one transaction as a recording may have, whose other fields bring it to exactly so many
  /// bytes in the journal, from 3 MiB to 8 MiB and a little.
  fileprivate init(of transaction: Transaction, byteCount: Int) {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    let info = RenewalInfo(originalTransactionID: transaction.originalTransactionID, signedDate: day(1))
    let row = Row(transaction: transaction, bundleID: text(250), otherFields: text(1_000))
    let renewal = Renewal(info: info, bundleID: text(250), otherFields: text(1_000))
    let count = Recording.rowLimit
    self.init(
      customer: "anna", rows: Array(repeating: row, count: count), renewalInfos: Array(repeating: renewal, count: count),
      receivedAt: day(1))
    // No length in it takes more bytes afterwards than it does now, so that what is missing is missing in the texts.
    let missing = byteCount - StoredInput(.recording(self)).encoded().count
    let (share, rest) = missing.quotientAndRemainder(dividingBy: 2 * count)
    for index in 0..<count {
      rows[index].otherFields = text(1_000 + share + (index < rest ? 1 : 0))
      renewalInfos[index].otherFields = text(1_000 + share + (count + index < rest ? 1 : 0))
    }
  }
}

struct RecorderTests {
  @Test("Work whose deadline has passed before it begins isn't done")
  func deadline() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let answers = Answers()
    store.submit(.recording(recording(lifetime("1"), as: "anna")), deadline: 1, answers.add)
    #expect(failure { try answers.wait(for: 1)[0].get() } == .deadlineExceeded)
    #expect(store.revision == 1)
    store.submit(.recording(recording(lifetime("1"), as: "anna")), deadline: .max, answers.add)
    #expect(try answers.wait(for: 2)[1].get().revision == 2)
  }

  @Test("Whoever is told of a recording finds it in the answers at that moment")
  func toldWhenVisible() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let seen = AwaitedValue<[AccessBlock.Answer]>([])
    for number in 1...20 {
      let customer = CustomerID("customer \(number)")
      store.submit(.recording(recording(lifetime(Identifier("\(number)")), as: customer))) { _ in
        seen.update { $0.append(store.answer(customer)) }
      }
    }
    let answers = seen.wait { $0.count < 20 ? nil : $0 }
    #expect(answers.allSatisfy { $0.reason == .purchased })
  }

  @Test("Closing sees through what was submitted, and refuses what comes later")
  func closing() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let answers = Answers()
    for number in 1...500 { store.submit(lifetime(Identifier("\(number)")), to: answers) }
    try store.close()
    #expect(try answers.soFar.map { try $0.get().revision } == Array(2...501))
    #expect(failure { try store.record(lifetime("1"), as: "anna") } == .closed)
    try store.close()
  }

  @Test("The longest recordings are stored, whatever waits beside them; a longer one alone is refused")
  func longRecordings() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let answers = Answers()
    store.holdingRecorder {
      store.submit(lifetime("1"), to: answers)
      store.submit(.recording(Recording(of: lifetime("2"), byteCount: 4 << 20 - 300)), answers.add)
      for number in 3...5 {
        let recording = Recording(of: lifetime(Identifier("\(number)")), byteCount: Submission.byteLimit)
        store.submit(.recording(recording), answers.add)
      }
      store.submit(.recording(Recording(of: lifetime("6"), byteCount: Submission.byteLimit + 1)), answers.add)
      store.submit(lifetime("7"), to: answers)
    }
    let outcomes = answers.wait(for: 7)
    #expect(outcomes.compactMap { try? $0.get().revision } == Array(2...7))
    // It never entered the queue, so its answer came first.
    #expect(failure { try outcomes[0].get() } == .refused)
    #expect(store.revision == 7)
    let copy = try openStore(try directory.copy(of: directory.store), catalog: nil)
    #expect(copy.contents == store.contents)
  }

  @Test("What is refused in the middle of a batch is refused again by a replay")
  func refusedInBatch() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let answers = Answers()
    store.holdingRecorder {
      for number in 1...9 {
        store.submit(lifetime(Identifier("\(number)")) { if number % 3 == 0 { $0.environment = .xcode } }, to: answers)
      }
    }
    #expect(answers.wait(for: 9).filter { answer in failure { try answer.get() } == .refused }.count == 3)
    let copy = try openStore(try directory.copy(of: directory.store), catalog: nil)
    #expect(copy.contents == store.contents)
    #expect(copy.revision == store.journal.lastRevision)
  }

  @Test("After a failed write the outcome is unknown, the failure is told once, and nothing is acknowledged any more")
  func failedWrite() throws {
    let directory = try TemporaryDirectory()
    let failures = Guarded(0)
    let store = try openStore(directory.store, options: JournalOptions(segmentBytes: 1024)) { _ in failures.withLock { $0 += 1 } }
    try store.record(lifetime("1"), as: "anna")
    // The next segment can't be made in a directory that is gone.
    TemporaryDirectory.remove(directory.store)
    let answers = Answers()
    store.holdingRecorder { for number in 0...40 { store.submit(lifetime(Identifier("\(number)")), to: answers) } }
    let kinds = answers.wait(for: 41).map { answer in failure { try answer.get() } }
    #expect(kinds.contains(.outcomeUnknown))
    #expect(!kinds.drop { $0 == nil }.contains(nil))
    for id in ["1", "new"] as [Identifier] {
      #expect(failure { try store.record(lifetime(id), as: "anna") } == .closed)
    }
    #expect(failure { try store.close() } == .failed)
    #expect(failures.withLock { $0 } == 1)
    #expect(store.answer("anna").reason == .purchased)
  }

  @Test("So many submissions wait and no more")
  func overload() throws {
    let queue = SubmissionQueue()
    let submission = try Submission(.recording(Recording(receivedAt: day(0))), evaluateAt: nil, deadline: nil) { _ in }
    for _ in 0..<SubmissionQueue.limit { try queue.add(submission) }
    #expect(failure { try queue.add(submission) } == .overloaded)
    #expect(taken(from: queue) == SubmissionQueue.limit)
    try queue.add(submission)
    #expect(taken(from: queue) == 1)
    #expect(taken(from: queue) == 0)
    queue.close()
    #expect(taken(from: queue) == nil)
    #expect(failure { try queue.add(submission) } == .closed)
  }

  @Test("Who waits for submissions is woken up once to look at what else there is to do")
  func wakeUp() throws {
    let queue = SubmissionQueue()
    queue.wakeUp()
    guard case .batch(let submissions) = queue.take(idleAfterNanoseconds: nil) else {
      Issue.record("nothing was taken")
      return
    }
    #expect(submissions.isEmpty)
    guard case .idle = queue.take(idleAfterNanoseconds: 0) else {
      Issue.record("woken up twice")
      return
    }
  }

  /// How many submissions were taken; nil where the queue is closed.
  private func taken(from queue: SubmissionQueue) -> Int? {
    switch queue.take(idleAfterNanoseconds: 0) {
    case .batch(let submissions): submissions.count
    case .idle: 0
    case .closed: nil
    }
  }
}

/// The path of a file system of its own of 64 KiB to 1 MiB, which these tests fill up; see `Tests/run`.
private let smallDisk = unsafe getenv("LATCHKEY_SMALL_DISKS").map { unsafe String(cString: $0) + "/storage" }

@Suite(.enabled(if: smallDisk != nil, "LATCHKEY_SMALL_DISKS names no small file systems; root can mount them"))
struct FullDiskTests {
  @Test("On a full disk recordings are refused and checks answered, and recordings go on when there is room")
  func fullDisk() throws {
    let path = try #require(smallDisk) + "/entitlements"
    TemporaryDirectory.remove(path)
    let ballast = path + "-ballast"
    try File(ballast, for: .create).write([UInt8](repeating: 1, count: 16 << 10).span, at: 0)
    let store = try openStore(path, options: JournalOptions(segmentBytes: 4096))
    var number = 0
    while true {
      number += 1
      do throws(StoreError) { try store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number)")) } catch {
        guard case .readOnly = error else { throw error }
        break
      }
    }
    #expect(store.answer("customer 1").reason == .purchased)
    #expect(failure { try store.record(lifetime("another"), as: "ben") } == .readOnly)
    #expect(try store.record(lifetime("1"), as: "customer 1").recorded.outcome == .duplicate)
    try Directory.remove(ballast)
    #expect(try store.record(lifetime("another"), as: "ben").recorded.outcome == .applied)
    #expect(store.read { ledger, _ in ledger.records.count } == number)
    let contents = store.contents
    let directory = try TemporaryDirectory()
    #expect(try openStore(directory.copy(of: path)).contents == contents)
    TemporaryDirectory.remove(path)
  }
}
