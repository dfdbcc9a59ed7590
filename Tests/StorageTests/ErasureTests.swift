import Entitlements
import Journaling
import Platform
import Testing

@testable import Storage

/// Erasing and moving customers in a store: answers, the disk, and a restart.
struct ErasureTests {
  private let order = OperatorOrder(by: "privacy desk", note: "request 4711", at: day(2))

  /// Whether some file of a directory contains a text.
  private func holds(_ text: String, in path: String) throws -> Bool {
    try Directory.names(in: path).contains { name in
      let file = try File("\(path)/\(name)", for: .read)
      return String(decoding: try file.read(file.size(), at: 0), as: UTF8.self).contains(text)
    }
  }

  @Test("An erased customer is unknown at once, and off the disk with the second snapshot")
  func erasure() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("secret-1") { $0.appAccountToken = "secret-2" }, as: "secret-3")
    try store.record(lifetime("1"), as: "ben")
    _ = try store.takeSnapshot()
    let applied = try store.submitAndWait(.erasure(Erasure(customer: "secret-3", order: order)), evaluateAt: day(2))
    #expect(applied.changes.map(\.entitlement) == ["lifetime", "pro"])
    #expect(applied.changes.allSatisfy { $0.customer == "secret-3" && $0.reason == .unknownCustomer })
    #expect(store.answer("secret-3") == .unknownCustomer)
    #expect(store.answer("ben").reason == .purchased)
    #expect(store.cache.customerCount == 1)
    for _ in 0..<EntitlementStore.snapshotsUntilGone {
      #expect(try holds("secret-", in: directory.store))
      _ = try store.takeSnapshot()
      try store.record(
        lifetime("2") { $0.signedDate = Moment(milliseconds: day(0).milliseconds + Int64(store.revision)) }, as: "ben")
    }
    #expect(try !holds("secret-", in: directory.store))
    #expect(try !holds("4711", in: directory.store))
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.contents == store.contents)
    #expect(reopened.contents.tombstones.map(\.by) == ["privacy desk"])
  }

  @Test("A move changes both customers in one revision, and a restart says the same")
  func move() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "guest")
    let revision = store.revision
    let applied = try store.submitAndWait(.move(CustomerMove(from: "guest", to: "anna", order: order)), evaluateAt: day(2))
    #expect(applied.revision == revision + 1)
    #expect(
      Set(applied.changes.map { "\($0.customer) \($0.entitlement) \($0.isAllowed)" }) == [
        "guest lifetime false", "guest pro false", "anna lifetime true", "anna pro true",
      ])
    #expect(store.answer("guest") == .unknownCustomer && store.answer("anna").reason == .purchased)
    let reopened = try openStore(try directory.copy(of: directory.store))
    #expect(reopened.contents == store.contents)
  }

  @Test("An order about somebody unknown, or one that is incomplete, isn't journaled")
  func refused() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    let revision = store.revision
    let nobody = OperatorOrder(by: "", note: "n", at: day(2))
    for input: Input in [
      .erasure(Erasure(customer: "ben", order: order)), .erasure(Erasure(customer: "anna", order: nobody)),
      .erasure(Erasure(customer: "", order: order)), .move(CustomerMove(from: "ben", to: "anna", order: order)),
      .move(CustomerMove(from: "anna", to: "anna", order: order)),
    ] { #expect(failure { try store.submitAndWait(input) } == .refused) }
    #expect(store.revision == revision && store.journal.lastRevision == revision)
  }
}
