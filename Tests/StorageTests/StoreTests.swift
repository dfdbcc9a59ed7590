import Entitlements
import Journaling
import LatchkeyWire
import Platform
import Testing

@testable import Storage

struct StoreTests {
  @Test("What was acknowledged is there after the process died without closing")
  func durability() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    for number in 1...50 { try store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number % 20)")) }
    let copy = try openStore(try directory.copy(of: directory.store), catalog: nil)
    #expect(copy.contents == store.contents)
    #expect(copy.revision == 51)
    #expect(copy.answer("customer 7").reason == .purchased)
  }

  @Test("An acknowledged change is visible, and the answer says what it changed, for whom, at which revision")
  func changes() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let member = lifetime("2") { $0.ownership = .familyShared }
    try store.record(lifetime("1"), as: "anna")
    try store.record(member, as: "ben", sharedFrom: ["1"])
    #expect(store.answer("ben") == AccessBlock.Answer(reason: .familyShared, ownership: 2, validUntil: .max))
    let refund = lifetime("1") {
      $0.revocationDate = day(1)
      $0.signedDate = day(1)
    }
    let applied = try store.record(refund)
    #expect(applied.recorded.outcome == .applied)
    #expect(applied.recorded.customer == "anna")
    #expect(applied.revision == store.revision)
    #expect(
      applied.changes == [
        AccessChange(customer: "anna", entitlement: "lifetime", reason: .refunded),
        AccessChange(customer: "anna", entitlement: "pro", reason: .refunded),
        AccessChange(customer: "ben", entitlement: "lifetime", reason: .sharedPurchaseRefunded),
        AccessChange(customer: "ben", entitlement: "pro", reason: .sharedPurchaseRefunded),
      ])
    #expect(store.answer("ben", at: day(0)).reason == .familyShared)
    #expect(store.answer("ben", at: day(1)).reason == .sharedPurchaseRefunded)
  }

  @Test("What changes nothing doesn't grow the journal: a duplicate, a stale version, nothing at all, the same catalog")
  func noGrowth() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1") { $0.signedDate = day(2) }, as: "anna")
    let before = store.revision
    #expect(try store.record(lifetime("1") { $0.signedDate = day(2) }, as: "anna").recorded.outcome == .duplicate)
    #expect(try store.record(lifetime("1"), as: "anna").recorded.outcome == .stale)
    #expect(try store.submitAndWait(.recording(Recording(receivedAt: day(1)))).recorded.outcome == .ignored)
    #expect(try store.submitAndWait(.catalog(.sample)).recorded.outcome == .duplicate)
    #expect(try store.submitAndWait(.settings(Settings())).revision == before)
    #expect(store.revision == before)
    #expect(store.journal.lastRevision == before)
  }

  @Test("A refused input changes nothing, and doesn't grow the journal either")
  func refusals() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let before = store.contents
    for transaction in [
      lifetime("1") { $0.environment = .sandbox }, lifetime(""), lifetime("1") { $0.signedDate = .distantPast },
    ] {
      #expect(failure { try store.record(transaction, as: "anna") } == .refused)
    }
    #expect(store.contents == before)
  }

  @Test("Another catalog folds everyone anew, at one revision")
  func catalogReplacement() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    for number in 1...300 { try store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number)")) }
    var catalog = Catalog.sample
    catalog["lifetime"]?.entitlements = ["gold"]
    let applied = try store.submitAndWait(.catalog(catalog))
    #expect(applied.revision == 302)
    #expect(store.revision == 302)
    for number in 1...300 {
      #expect(store.answer(Identifier("customer \(number)"), "gold").reason == .purchased)
      #expect(store.answer(Identifier("customer \(number)"), "pro").reason == .neverOwned)
    }
  }

  @Test("A check reader answers all checks of a turn, in order, as the ledger does")
  func checkReader() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    var reader = CheckReader(store.cache)
    let names = ["anna", "pro", "ben", "nothing"]
    let input = names.joined().utf8.map { $0 }
    let ranges = names.indices.map { index in
      let start = names[..<index].joined().utf8.count
      return start..<start + names[index].utf8.count
    }
    for _ in 0..<2 {
      for (customer, entitlement) in [(0, 1), (2, 1), (0, 3)] {
        let bytes = unsafe input.span.bytes
        reader.add(
          tag: 0, customer: ranges[customer], entitlement: ranges[entitlement], at: day(2).milliseconds, in: bytes)
      }
      var reasons: [Entitlements.Reason] = []
      #expect(reader.answer(in: unsafe input.span.bytes, now: day(2).milliseconds) == store.revision)
      for index in reader.checks.indices { reasons.append(reader.checks[index].answer.reason) }
      #expect(reasons == [.purchased, .unknownCustomer, .neverOwned])
      reader.removeAll()
      let rest = reader.checks.count
      #expect(rest == 0)
    }
  }
}
