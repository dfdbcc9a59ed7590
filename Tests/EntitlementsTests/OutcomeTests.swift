import Entitlements
import Testing

/// The table of outcomes.
struct OutcomeTests {
  private func outcome(_ ledger: inout Ledger, _ rows: [Transaction], as customer: CustomerID? = nil) throws -> Recorded {
    try ledger.record(
      Recording(customer: customer, rows: rows.map { .init(transaction: $0) }, receivedAt: day(0)))
  }

  @Test func `neither a transaction nor a renewal info is ignored`() throws {
    var ledger = Ledger.sample()
    let empty = Recording(customer: "ana", receivedAt: day(0))
    #expect(try !ledger.changes(by: empty))
    let recorded = try ledger.record(empty)
    #expect(recorded.outcome == .ignored)
    #expect(recorded.customer == nil)
    #expect(recorded.affected.isEmpty)
    #expect(ledger.contents == Ledger.sample().contents)
  }

  @Test func `the very newest version again is a duplicate, an older one is stale`() throws {
    var ledger = Ledger.sample()
    let newer = monthly("1") { $0.signedDate = day(1) }
    #expect(try ledger.record(newer, as: "ana").outcome == .applied)
    let again = try ledger.record(newer, as: "ana")
    #expect(again.outcome == .duplicate)
    #expect(again.customer == "ana")
    #expect(try ledger.record(monthly("1"), as: "ana").outcome == .stale)
    #expect(ledger.records[0].transaction.signedDate == day(1))
  }

  @Test func `a notification that is sent again under another id, with other unused fields, is a duplicate`() throws {
    var ledger = Ledger.sample()
    func sent(as uuid: String, saying otherFields: String) -> Recording {
      Recording(
        customer: "ana", notification: .init(type: "DID_RENEW", uuid: uuid, signedDate: day(1)),
        rows: [.init(transaction: monthly("1"), otherFields: otherFields)],
        renewalInfos: [.init(info: renewal(of: "1", signed: day(1)), otherFields: otherFields)], receivedAt: day(1))
    }
    #expect(try ledger.record(sent(as: "A", saying: "{}")).outcome == .applied)
    let before = ledger.contents
    #expect(try !ledger.changes(by: sent(as: "B", saying: "{\"quantity\":1}")))
    #expect(try ledger.record(sent(as: "B", saying: "{\"quantity\":1}")).outcome == .duplicate)
    #expect(ledger.contents == before)
  }

  @Test func `a duplicate that nobody holds is still a duplicate`() throws {
    var ledger = Ledger.sample()
    #expect(try ledger.record(monthly("1")).outcome == .unclaimed)
    #expect(try ledger.record(monthly("1")).outcome == .duplicate)
    #expect(try ledger.record(monthly("1") { $0.signedDate = day(1) }).outcome == .unclaimed)
  }

  @Test func `a holder, a link, a newer renewal info and a mark that counts are each new`() throws {
    var ledger = Ledger.sample()
    let copy = monthly("2") { $0.share() }
    try ledger.record(copy)
    #expect(try ledger.record(copy, as: "kid").outcome == .applied)
    #expect(try ledger.record(copy, sharedFrom: ["1"]).outcome == .applied)
    #expect(try ledger.record(copy, sharedFrom: ["1"]).outcome == .duplicate)
    let info = renewal(of: "2", signed: day(3))
    #expect(try ledger.record(copy, with: info).outcome == .applied)
    #expect(try ledger.record(copy, with: info).outcome == .duplicate)
    #expect(try ledger.record(copy, mark: day(10)).outcome == .applied)
    #expect(try ledger.record(copy, mark: day(10)).outcome == .duplicate)
  }

  @Test func `a link that something held together with it has is nothing new`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("2") { $0.share() }, as: "kid", sharedFrom: ["1"])
    try ledger.record(monthly("3", of: "2") { $0.share() })
    #expect(try ledger.record(monthly("3", of: "2") { $0.share() }, sharedFrom: ["1"]).outcome == .duplicate)
  }

  @Test func `a stale version with something new is applied`() throws {
    var ledger = Ledger.sample()
    try ledger.record(monthly("1") { $0.signedDate = day(1) }, as: "ana")
    #expect(try ledger.record(monthly("1"), with: renewal(of: "1", signed: day(2))).outcome == .applied)
    #expect(try ledger.record(monthly("1"), mark: day(5)).outcome == .applied)
  }

  @Test func `a refused claim comes before all else`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .keep }
    try ledger.record(monthly("1") { $0.signedDate = day(1) }, as: "ana")
    #expect(try ledger.record(monthly("1"), as: "bob").outcome == .heldByAnother)
    #expect(try ledger.record(monthly("1") { $0.signedDate = day(2) }, as: "bob").outcome == .heldByAnother)
    #expect(ledger.records[0].transaction.signedDate == day(2))
  }

  @Test func `a renewal info alone is new, again a duplicate, older stale`() throws {
    var ledger = Ledger.sample()
    #expect(try ledger.record(renewal(of: "1", signed: day(5))).outcome == .unclaimed)
    try ledger.record(monthly("1"), as: "ana")
    let newer = try ledger.record(renewal(of: "1", signed: day(6)))
    #expect(newer.outcome == .applied)
    #expect(newer.customer == "ana")
    #expect(newer.affected == ["ana"])
    #expect(try ledger.record(renewal(of: "1", signed: day(6))).outcome == .duplicate)
    #expect(try ledger.record(renewal(of: "1", signed: day(5))).outcome == .stale)
  }

  // MARK: - Several rows

  @Test func `the outcome of several rows is the strongest of theirs`() throws {
    var ledger = Ledger.sample { $0.transferPolicy = .keep }
    let known = monthly("1") { $0.signedDate = day(1) }
    let older = monthly("1")
    let unclaimed = monthly("5")
    try ledger.record(known, as: "ana")
    #expect(try outcome(&ledger, [known, older]).outcome == .stale)
    #expect(try outcome(&ledger, [older, known, unclaimed]).outcome == .unclaimed)
    #expect(try outcome(&ledger, [known, unclaimed]).outcome == .duplicate)
    let applied = try outcome(&ledger, [known, monthly("6")], as: "bob")
    #expect(applied.outcome == .applied)
    #expect(applied.customer == "bob")
    #expect(try outcome(&ledger, [known, older], as: "bob").outcome == .heldByAnother)
  }

  @Test func `one row that is refused refuses them all`() throws {
    var ledger = Ledger.sample()
    #expect(throws: Refusal.self) { try outcome(&ledger, [monthly("1"), monthly("2") { $0.environment = .sandbox }], as: "ana") }
    #expect(ledger.contents == Ledger.sample().contents)
  }

  @Test func `rows of one recording see what the rows before them did`() throws {
    var ledger = Ledger.sample()
    let recorded = try outcome(
      &ledger, [monthly("1"), monthly("1") { $0.refund(at: day(10)) }, monthly("2", of: "1")], as: "ana")
    #expect(recorded.outcome == .applied)
    #expect(ledger.records.count == 2)
    #expect(ledger.records[0].transaction.revocationDate == day(10))
    #expect(ledger.holders(of: "2") == ["ana"])
  }

  @Test func `the newest version says when and from where it came`() throws {
    var ledger = Ledger.sample()
    func record(_ signed: Int64, _ source: Source, _ received: Int64) throws {
      let row = Recording.Row(transaction: monthly("1") { $0.signedDate = day(signed) })
      _ = try ledger.record(Recording(customer: "ana", rows: [row], source: source, receivedAt: day(received)))
    }
    try record(1, .device, 2)
    try record(3, .serverNotification, 4)
    try record(2, .import, 5)
    #expect(ledger.records[0].firstRecordedAt == day(2))
    #expect(ledger.records[0].recordedAt == day(4))
    #expect(ledger.records[0].source == .serverNotification)
  }
}
