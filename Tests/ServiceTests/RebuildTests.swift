import Entitlements
import LatchkeyWire
import Protobuf
import Service
import Testing

@testable import Storage

/// RebuildEntitlements.
@Suite struct RebuildTests {
  let running: RunningService

  init() throws { try self.init(settings: Settings()) }
  private init(settings: Settings) throws { running = try RunningService(settings: settings, catalog: .pro) }

  /// The messages of a stream that ends well.
  private func rebuild(_ fill: (inout RebuildEntitlementsRequest) -> Void) throws -> [RebuildProgress] {
    try progress(on: running.send(Request(.rebuildEntitlements, RebuildEntitlementsRequest.with(fill))))
  }

  private func progress(on streamID: UInt32) throws -> [RebuildProgress] {
    let frames = try #require(running.line.wait(for: streamID))
    let last = try #require(frames.last)
    if last.header.type == .response, let status = try Response(decoding: last.data).status { throw status }
    #expect(frames.dropLast().allSatisfy { $0.header.type == .data && $0.header.flags.isEmpty })
    #expect(last.header.flags == .remoteClosed)
    return try frames.map { try RebuildProgress(decoding: $0.data) }
  }

  private func summary(_ fill: (inout RebuildEntitlementsRequest) -> Void) throws -> RebuildSummary {
    let messages = try rebuild(fill)
    #expect(messages.dropLast().allSatisfy { $0.summary == nil })
    return try #require(messages.last?.summary)
  }

  /// Puts answers into the cache that the history doesn't give, as a bug would.
  private func spoil(_ customers: [CustomerID]) {
    running.store.state.withLock { state in
      let wrong = CustomerAccess([:])
      for customer in customers {
        let words = AccessBlockWriter.words(of: wrong, customer: customer, names: running.store.cache.names)
        running.store.cache.publish([.init(customer: customer, words: words)], revision: state.revision)
      }
    }
  }

  private func recordFamily() throws {
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob", sharedFrom: ["1"])
    try running.record(.lasting("3", product: "forever"), for: "carol")
  }

  @Test("A healthy server corrects nothing, whatever is rebuilt", arguments: [false, true])
  func healthy(dryRun: Bool) throws {
    try recordFamily()
    let everyone = try summary { ($0.everyone, $0.dryRun) = (true, dryRun) }
    #expect(everyone.customers == 3)
    #expect(everyone.transactions == 3)
    #expect(everyone.corrections == 0)
    #expect(everyone.revision == running.store.revision)
    let lineage = try summary { ($0.originalTransactionID, $0.dryRun) = ("1", dryRun) }
    #expect(lineage.customers == 2)
    let customer = try summary { ($0.customerID, $0.dryRun) = ("carol", dryRun) }
    #expect(customer.customers == 1)
    #expect(customer.transactions == 1)
  }

  @Test("The last message has the totals beside the summary")
  func lastMessage() throws {
    try recordFamily()
    let last = try #require(try rebuild { $0.everyone = true }.last)
    #expect(last.customers == 3)
    #expect(last.customersTotal == 3)
    #expect(last.transactions == 3)
  }

  @Test("A wrong answer is reported in a dry run, and corrected in a real one")
  func corrections() throws {
    try recordFamily()
    spoil(["alice", "nobody"])
    #expect(try running.check("alice", "pro").reason == .neverOwned)
    for (dryRun, reason) in [(true, LatchkeyWire.Reason.neverOwned), (false, .purchased)] {
      let messages = try rebuild { ($0.everyone, $0.dryRun) = (true, dryRun) }
      let all = messages.flatMap(\.corrections)
      let unknown = all.filter { $0.customerID == "nobody" }
      let corrections = all.filter { $0.customerID != "nobody" }
      #expect(unknown.map(\.entitlement) == [""])
      #expect(unknown.map(\.after?.reason) == [.unknownCustomer])
      #expect(corrections.map(\.customerID) == ["alice", "alice"])
      #expect(Set(corrections.map(\.entitlement)) == ["monthly", "pro"])
      #expect(corrections.allSatisfy { $0.before?.reason == .neverOwned && $0.after?.reason != .neverOwned })
      #expect(messages.last?.summary?.corrections == 3)
      #expect(try running.check("alice", "pro").reason == reason)
    }
    #expect(try running.check("nobody", "pro").reason == .unknownCustomer)
    #expect(try summary { $0.everyone = true }.corrections == 0)
  }

  @Test("Corrections that don't fit into a frame come in several, and none is lost")
  func manyCorrections() throws {
    // 25 entitlements of 128 bytes for each of 600 customers named with 128: about 5 MB of corrections.
    let names = (0..<25).map { index in Identifier(String(repeating: "e", count: 126) + (index < 10 ? "0" : "") + "\(index)") }
    let running = try RunningService(catalog: Catalog(products: ["p": Catalog.Product(entitlements: names)]))
    let customers = (100..<700).map { Identifier(String(repeating: "c", count: 125) + "\($0)") }
    let streams = customers.map { customer in
      running.send(
        Request(
          .recordTransaction,
          RecordTransactionRequest.with {
            ($0.customerID, $0.transaction) = (customer.text, .lasting(String(customer.text.suffix(3)), product: "p"))
          }))
    }
    for stream in streams { #expect(try running.response(on: stream).status == nil) }
    running.store.state.withLock { state in
      for customer in customers { running.store.cache.publish([.init(customer: customer, words: nil)], revision: state.revision) }
    }
    let request = RebuildEntitlementsRequest.with { $0.everyone = true }
    let frames = try #require(running.line.wait(for: running.send(Request(.rebuildEntitlements, request))))
    let messages = try frames.map { try RebuildProgress(decoding: $0.data) }
    #expect(frames.count > 2)
    let summary = try #require(messages.last?.summary)
    #expect(summary.corrections == 600 * 26)
    #expect(Set(messages.flatMap(\.corrections).map { [$0.customerID, $0.entitlement] }).count == 600 * 26)
  }

  @Test("A client that reads slowly gets its corrections all the same, and loses nothing but progress")
  func slowClient() throws {
    try recordFamily()
    spoil(["alice"])
    running.line.setRoom(0)
    let streamID = running.send(Request(.rebuildEntitlements, RebuildEntitlementsRequest.with { $0.everyone = true }))
    running.line.setRoom(nil)
    #expect(try progress(on: streamID).flatMap(\.corrections).count == 2)
    running.line.setRoom(0)
    #expect(try summary { $0.everyone = true }.customers == 3)
  }

  @Test("A client that gives up while it doesn't read its corrections is told CANCELLED")
  func cancelledWhileFull() throws {
    try recordFamily()
    spoil(["alice"])
    running.line.setRoom(0)
    let streamID = running.send(Request(.rebuildEntitlements, RebuildEntitlementsRequest.with { $0.everyone = true }))
    running.line.cancel(streamID)
    #expect(try running.response(on: streamID).status?.code == .cancelled)
  }

  @Test("A rebuild that was cancelled before it began ends with CANCELLED")
  func cancelled() throws {
    try recordFamily()
    let streamID = running.nextStreamID()
    running.line.cancel(streamID)
    running.read([(streamID, Request(.rebuildEntitlements, RebuildEntitlementsRequest.with { $0.everyone = true }).encoded())])
    let frames = try #require(running.line.wait(for: streamID))
    #expect(frames.count == 1)
    #expect(try Response(decoding: frames[0].data).status?.code == .cancelled)
  }

  @Test("Rebuilds of a customer that are asked for at once are all done")
  func severalAtOnce() throws {
    try recordFamily()
    let request = Request(.rebuildEntitlements, RebuildEntitlementsRequest.with { $0.customerID = "bob" }).encoded()
    let requests = (0..<4).map { _ in (streamID: running.nextStreamID(), envelope: request) }
    running.read(requests)
    for request in requests { #expect(try progress(on: request.streamID).last?.summary?.customers == 1) }
  }

  @Test("While a rebuild of everyone is under way, another one is ABORTED and says so; one of a customer is done")
  func busy() throws {
    try recordFamily()
    try running.store.exclusively(.rebuildOfEveryone) { () throws(StoreError) in
      do {
        let status = try running.failure(.rebuildEntitlements, RebuildEntitlementsRequest.with { $0.everyone = true })
        #expect(status.code == .aborted)
        #expect(status.message.contains("a rebuild of everyone is under way"))
        #expect(try summary { $0.customerID = "carol" }.customers == 1)
      } catch {
        Issue.record(error)
      }
    }
  }
}

// MARK: - With a history

extension RebuildTests {
  /// Apple's history: a refund that was missed, what is known already, and a new purchase; "3" isn't listed any more.
  private var history: [LatchkeyWire.Transaction] {
    [
      LatchkeyWire.Transaction.subscription("1").refunded, .lasting("2", product: "forever"), .lasting("4", product: "new"),
    ]
  }

  private func recordHalf() throws {
    try running.record(.subscription("1"), .lasting("2", product: "forever"), .lasting("3", product: "gone"))
  }

  @Test("A given history is recorded as far as it is newer, in the customer's name", arguments: [false, true])
  func givenHistory(dryRun: Bool) throws {
    try recordHalf()
    let revision = running.store.revision
    let summary = try summary { ($0.customerID, $0.history, $0.dryRun) = ("alice", history, dryRun) }
    #expect(summary.recorded == 2)
    #expect(summary.notListed == ["3"])
    #expect(summary.corrections == 0)
    // By the wall clock the subscription of 2023 was over already, so only the new purchase changes an answer now.
    #expect(summary.changes.map(\.entitlement) == ["new"])
    #expect(summary.changes.map(\.customerID) == ["alice"])
    #expect(running.store.revision == revision + (dryRun ? 0 : 2))
    #expect(summary.revision == running.store.revision)
    #expect(try running.check("alice", "new").reason == (dryRun ? .neverOwned : .purchased))
    #expect(try running.check("alice", "pro").reason == (dryRun ? .purchased : .refunded))
    #expect(try running.check("alice", "gone").reason == .purchased)
  }

  @Test("What is newer counts as recorded where another keeps holding it, too", arguments: [false, true])
  func heldByAnother(dryRun: Bool) throws {
    var settings = Settings()
    settings.transferPolicy = .keep
    let keeping = try RebuildTests(settings: settings)
    try keeping.running.record(.subscription("1"), for: "bob")
    for recorded: UInt64 in dryRun ? [1, 1] : [1, 0] {
      let summary = try keeping.summary { ($0.customerID, $0.history, $0.dryRun) = ("alice", [history[0]], dryRun) }
      #expect(summary.recorded == recorded)
    }
    #expect(try keeping.running.check("alice", "pro").reason == .unknownCustomer)
    #expect(try keeping.running.check("bob", "pro").reason == (dryRun ? .purchased : .refunded))
  }

  @Test("The same history again records nothing")
  func sameHistory() throws {
    try recordHalf()
    _ = try summary { ($0.customerID, $0.history) = ("alice", history) }
    let revision = running.store.revision
    let again = try summary { ($0.customerID, $0.history) = ("alice", history) }
    #expect(again.recorded == 0)
    #expect(again.changes.isEmpty)
    #expect(running.store.revision == revision)
  }

  @Test("A history may come as Apple's JSON; an empty one lists nothing")
  func historyJSON() throws {
    try recordHalf()
    let summary = try summary {
      $0.customerID = "alice"
      $0.historyJSON = """
        [{"transactionId": "4", "productId": "new", "type": "Non-Consumable", "purchaseDate": 1699000000000,
          "signedDate": 1699000000000}]
        """
    }
    #expect(summary.recorded == 1)
    #expect(summary.notListed == ["1", "2", "3"])
    let entry = try running.call(
      .getHistory, GetHistoryRequest.with { $0.transactionID = "4" }, as: GetHistoryResponse.self
    ).entries.first
    #expect(entry?.source == .serverAPI)
    #expect(entry?.customerIDs == ["alice"])
    let empty = try self.summary { ($0.customerID, $0.historyJSON) = ("alice", "[]") }
    #expect(empty.notListed.count == 4)
  }

  @Test("A change that the rest of the history takes back isn't reported", arguments: [false, true])
  func netChanges(dryRun: Bool) throws {
    let bought = LatchkeyWire.Transaction.lasting("1", product: "forever")
    let summary = try summary { ($0.customerID, $0.history, $0.dryRun) = ("alice", [bought, bought.refunded], dryRun) }
    #expect(summary.recorded == 2)
    #expect(summary.changes.isEmpty)
  }

  @Test("One transaction that is refused refuses the whole history, and says which", arguments: [false, true])
  func refusedHistory(dryRun: Bool) throws {
    try recordHalf()
    let revision = running.store.revision
    var history = history
    history[2].environment = .sandbox
    do {
      _ = try rebuild { ($0.customerID, $0.history, $0.dryRun) = ("alice", history, dryRun) }
      Issue.record("it was taken")
    } catch let status as Status {
      #expect(status.code == .failedPrecondition)
      #expect(status.message.hasPrefix("history[2].environment: "))
    }
    #expect(running.store.revision == revision)
  }
}

// MARK: - Bad input

extension RebuildTests {
  /// Requests that can never be right, with the field that is to be named.
  static let bad: [(RebuildEntitlementsRequest, String)] = [
    (RebuildEntitlementsRequest(), "customer_id"),
    (.with { ($0.customerID, $0.everyone) = ("alice", true) }, "customer_id"),
    (.with { ($0.customerID, $0.originalTransactionID) = ("alice", "1") }, "customer_id"),
    (.with { $0.customerID = text(129) }, "customer_id"),
    (.with { $0.originalTransactionID = text(129) }, "original_transaction_id"),
    (.with { ($0.originalTransactionID, $0.environment) = ("1", .other) }, "environment"),
    (.with { ($0.originalTransactionID, $0.environment) = ("1", Environment(rawValue: 99)) }, "environment"),
    (.with { ($0.customerID, $0.environment) = ("alice", .sandbox) }, "environment"),
    (.with { ($0.everyone, $0.environment) = (true, .sandbox) }, "environment"),
    (.with { ($0.everyone, $0.history) = (true, [.subscription("1")]) }, "history"),
    (.with { ($0.originalTransactionID, $0.historyJSON) = ("1", "[]") }, "history_json"),
    (.with { ($0.customerID, $0.history, $0.historyJSON) = ("alice", [.subscription("1")], "[]") }, "history_json"),
    (.with { ($0.customerID, $0.historyJSON) = ("alice", "{}") }, "history_json"),
    (.with { ($0.customerID, $0.historyJSON) = ("alice", "[{\"transactionId\": 5}]") }, "history_json"),
    (.with { ($0.customerID, $0.history) = ("alice", [.subscription("1"), .subscription("")]) }, "history[1].transaction_id"),
    (.with { ($0.customerID, $0.history) = ("alice", [.subscription("1", product: "")]) }, "history[0].product_id"),
    (
      .with {
        ($0.customerID, $0.history) = ("alice", [.with { ($0.transactionID, $0.productID, $0.rawType) = ("1", "p", "x") }])
      },
      "history[0].raw_type"
    ),
    (
      .with {
        ($0.customerID, $0.history) = (
          "alice", [.with { ($0.transactionID, $0.productID, $0.priceMilliunits) = ("1", "p", -1) }]
        )
      }, "history[0].price_milliunits"
    ),
  ]

  @Test("A bad field is INVALID_ARGUMENT and named, in one response frame", arguments: bad)
  func badFields(request: RebuildEntitlementsRequest, field: String) throws {
    let status = try running.failure(.rebuildEntitlements, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("\(field): "), "\(status.message)")
    #expect(running.store.revision == 1)
  }

  @Test("A history of over 10,000 transactions is refused")
  func longHistory() throws {
    let history = Array(repeating: LatchkeyWire.Transaction.subscription("1"), count: 10_001)
    let request = RebuildEntitlementsRequest.with { ($0.customerID, $0.history) = ("alice", history) }
    let status = try running.failure(.rebuildEntitlements, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("history: at most 10000 transactions"))
  }
}
