import Entitlements
import Testing

@testable import Storage

struct GrantTests {
  private func granting(_ act: Granting.Act, to customer: CustomerID = "anna") -> Input {
    .granting(Granting(customer: customer, entitlement: "pro", by: "support", note: "goodwill", recordedAt: day(1), act: act))
  }

  @Test("A grant is durable, visible, and what it changed is told")
  func grant() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let applied = try store.submitAndWait(granting(.give(from: day(0), until: day(9))), evaluateAt: day(2))
    #expect(applied.changes == [AccessChange(customer: "anna", entitlement: "pro", reason: .manualGrant)])
    #expect(store.answer("anna") == .init(reason: .manualGrant, ownership: 0, validUntil: day(9).milliseconds))
    #expect(store.answer("anna", at: day(9)).reason == .grantEnded)
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.contents == store.contents)
    #expect(reopened.answer("anna") == store.answer("anna"))
  }

  @Test("A grant that is there already needs no journal, and what can't be taken back is refused without it")
  func nothing() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    let grant = granting(.give(from: day(0), until: nil))
    let revision = try store.submitAndWait(grant).revision
    #expect(try store.submitAndWait(grant).revision == revision)
    #expect(failure { try store.submitAndWait(granting(.takeBack(at: day(3)), to: "ben")) } == .refused)
    #expect(failure { try store.submitAndWait(granting(.give(from: day(3), until: day(3)))) } == .refused)
    #expect(store.revision == revision)
    let taken = try store.submitAndWait(granting(.takeBack(at: day(1))), evaluateAt: day(2))
    #expect(taken.changes == [AccessChange(customer: "anna", entitlement: "pro", reason: .grantEnded)])
  }

  @Test("What is refused between inputs of one batch changes nothing, then and in a replay")
  func refusedInBatch() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    store.holdingRecorder {
      store.submit(granting(.give(from: day(0), until: nil))) { _ in }
      store.submit(granting(.takeBack(at: day(3)), to: "ben")) { _ in }
    }
    _ = try store.submitAndWait(granting(.takeBack(at: day(5))))
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.contents == store.contents)
    #expect(reopened.answer("ben").reason == .unknownCustomer)
  }

  @Test("A rebuild folds those who have nothing but grants, and corrects nothing")
  func rebuild() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    _ = try store.submitAndWait(granting(.give(from: day(0), until: nil)))
    var last = RebuildStep()
    try store.rebuild(.everyone, isDryRun: false) { step in
      last = step
      return true
    }
    #expect(last.customers == 1)
    #expect(last.corrections.isEmpty)
  }
}
