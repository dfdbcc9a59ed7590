import Entitlements
import Journaling
import Platform
import Testing

@testable import Storage

/// What was known at a moment, told from the kept journal.
struct AuditTests {
  /// Waits until the clock shows another millisecond than it did, and returns one between what came before and what comes.
  private func tick() -> Moment {
    let now = Clock.wallMilliseconds()
    while Clock.wallMilliseconds() <= now + 1 {}
    return Moment(milliseconds: now + 1)
  }

  @Test("A refund that came later is why today's answer for that moment differs")
  func laterRefund() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let before = tick()
    try store.record(lifetime("1"), as: "anna")
    try store.record(lifetime("2"), as: "ben")
    let between = tick()
    let refund = try store.record(lifetime("1") { ($0.revocationDate, $0.signedDate) = (day(5), day(5)) }, as: "anna")
    try store.record(lifetime("3") { $0.productID = "other" }, as: "anna")

    let then = try store.audit("anna", entitlement: "pro", at: between)
    #expect(then.answers.map(\.then.reason) == [.purchased] && then.answers.map(\.today.reason) == [.refunded])
    #expect(then.later.map(\.revision) == [refund.revision])
    #expect(then.knownRevision == refund.revision - 1 && then.revision == store.revision)
    #expect(then.known.map(\.transaction.transactionID) == ["1"])
    #expect(then.known.first?.transaction.revocationDate == nil)
    #expect(then.wasKnown && then.isKnown)

    let all = try store.audit("anna", entitlement: nil, at: between)
    #expect(all.answers.map(\.entitlement) == ["lifetime", "other", "pro"])
    #expect(all.later.count == 2)

    let early = try store.audit("anna", entitlement: "pro", at: before)
    #expect(!early.wasKnown && early.answers.map(\.then.reason) == [.unknownCustomer])
    #expect(early.later.map(\.revision) == [refund.revision - 2, refund.revision])

    let now = try store.audit("anna", entitlement: "pro", at: tick())
    #expect(now.answers.allSatisfy { $0.then == $0.today } && now.later.isEmpty)
  }

  @Test("What changed an answer by way of others is found: the purchaser's refund, a move, an erasure")
  func others() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    try store.record(lifetime("2") { $0.ownership = .familyShared }, as: "ben", sharedFrom: ["1"])
    try store.record(lifetime("9"), as: "carla")
    let moment = tick()
    let refund = try store.record(lifetime("1") { ($0.revocationDate, $0.signedDate) = (day(5), day(5)) })
    #expect(try store.audit("ben", entitlement: "pro", at: moment).later.map(\.revision) == [refund.revision])
    let order = OperatorOrder(by: "b", note: "n", at: day(1))
    let move = try store.submitAndWait(.move(CustomerMove(from: "carla", to: "dora", order: order)))
    let erasure = try store.submitAndWait(.erasure(Erasure(customer: "dora", order: order)))
    #expect(try store.audit("carla", entitlement: "pro", at: moment).later.map(\.revision) == [move.revision])
    let dora = try store.audit("dora", entitlement: "pro", at: moment)
    #expect(dora.later.map(\.revision) == [move.revision, erasure.revision])
    #expect(dora.answers.first?.today.reason == .unknownCustomer)
  }

  @Test("An audit of now answers as the store does, for everyone in a random history", arguments: 1...3 as ClosedRange<UInt64>)
  func sameAsStore(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: seed)
    let store = try openStore(directory.store, options: JournalOptions(segmentBytes: 4096, keptSeconds: 86_400))
    for number in 0..<150 {
      _ = try? store.submitAndWait(history.input())
      if number % 40 == 39 { _ = try store.takeSnapshot() }
    }
    for customer in RandomHistory.everyone {
      let moment = tick()
      let audit = try store.audit(customer, entitlement: nil, at: moment)
      let access = store.read { ledger, _ in ledger.access(of: customer) }
      #expect(audit.answers.map(\.entitlement) == (access?.timelines.map(\.entitlement) ?? []))
      for answer in audit.answers {
        #expect(answer.today == access?.decision(for: answer.entitlement, at: moment))
        #expect(answer.then == answer.today)
      }
    }
  }

  @Test("Before what is kept there is no answer but the oldest moment; a kept journal has one")
  func retention() throws {
    for keptSeconds in [0, 3_600] as [Int64] {
      let directory = try TemporaryDirectory()
      let store = try openStore(directory.store, options: JournalOptions(segmentBytes: 1024, keptSeconds: keptSeconds))
      let early = tick()
      for number in 1...30 {
        try store.record(lifetime(Identifier("\(number)")), as: "anna")
        // Each in a millisecond of its own, so that the oldest moment knows just one more than the snapshot.
        _ = tick()
        if number % 10 == 0 { _ = try store.takeSnapshot() }
      }
      let reopened = try openStore(try directory.copy(of: directory.store))
      #expect(reopened.contents == store.contents)
      if keptSeconds > 0 {
        #expect(try store.audit("anna", entitlement: "pro", at: early).wasKnown == false)
        continue
      }
      var oldest: Moment?
      do throws(StoreError) { _ = try store.audit("anna", entitlement: "pro", at: early) } catch {
        guard case .notKept(let moment) = error else { throw error }
        oldest = moment
      }
      #expect(try store.audit("anna", entitlement: "pro", at: try #require(oldest)).known.count == 21)
    }
  }

  @Test("An audit that is given up, or asked for while another one runs, says so")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    _ = try store.takeSnapshot()
    try store.record(lifetime("2"), as: "anna")
    _ = try store.takeSnapshot()
    let moment = tick()
    #expect(failure { try store.audit("anna", entitlement: nil, at: moment, turns: Turns(isGivenUp: { true })) } == .givenUp)
    try store.exclusively(.audit) { () throws(StoreError) in
      #expect(failure { try store.audit("anna", entitlement: nil, at: moment) } == .busy)
    }
  }
}
