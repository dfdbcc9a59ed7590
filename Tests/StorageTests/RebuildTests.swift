import Entitlements
import Platform
import TestSupport
import Testing

@testable import Storage

extension EntitlementStore {
  /// All corrections of a rebuild, by customer and entitlement, and its last step.
  fileprivate func rebuild(_ scope: RebuildScope = .everyone, isDryRun: Bool = false) throws(StoreError)
    -> (corrections: [Correction], last: RebuildStep)
  {
    var corrections: [Correction] = []
    var last = RebuildStep()
    try rebuild(scope, isDryRun: isDryRun) { step in
      corrections += step.corrections
      last = step
      return true
    }
    corrections.sort { ($0.customer, $0.entitlement ?? "") < ($1.customer, $1.entitlement ?? "") }
    return (corrections, last)
  }

  /// Puts wrong answers into the cache, as a bug would: those of another ledger.
  fileprivate func plant(_ transaction: Transaction?, of customer: CustomerID) {
    var ledger = Ledger(catalog: .sample)
    if let transaction { _ = try? ledger.record(recording(transaction, as: customer)) }
    let words = ledger.access(of: customer).map { AccessBlockWriter.words(of: $0, customer: customer, names: cache.names) }
    state.withLock { state in cache.publish([.init(customer: customer, words: words)], revision: state.revision) }
  }

  /// A customer's compiled answers.
  fileprivate func words(of customer: CustomerID) -> [UInt64]? { state.withLock { _ in cache.wordsWhileWriting(of: customer) } }
}

struct RebuildTests {
  private let endless = AccessBlock.Answer(reason: .purchased, ownership: 1, validUntil: .max)

  @Test("A rebuild of a healthy store corrects nothing", arguments: 1...4 as ClosedRange<UInt64>)
  func healthy(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: seed)
    let store = try openStore(directory.store)
    for _ in 0..<150 { _ = try? store.submitAndWait(history.input()) }
    let before = store.contents
    let (corrections, last) = try store.rebuild()
    #expect(corrections == [])
    #expect(last.customers == last.customersTotal)
    #expect(last.customers == before.answers.count)
    #expect(last.transactions == before.holdings.values.reduce(0) { $0 + $1.count })
    #expect(store.contents == before)
    store.expectAnswersOfLedger()
  }

  @Test("Each wrong answer is a correction, found by a dry run that changes nothing, and gone after the real one")
  func corrections() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    for (index, customer) in ["anna", "ben", "carla"].enumerated() {
      try store.record(lifetime(Identifier("\(index)")), as: Identifier(customer))
    }
    let refunded = lifetime("0") { $0.revocationDate = day(5) }
    store.plant(refunded, of: "anna")
    store.plant(nil, of: "ben")
    store.plant(lifetime("9"), of: "stranger")
    var expected: [Correction] = []
    for name in ["lifetime", "pro"] as [Identifier] {
      let moment = day(0).milliseconds - 60_000
      expected += [
        Correction(
          customer: "anna", entitlement: name, moment: moment,
          before: .init(reason: .purchased, ownership: 1, validUntil: day(5).milliseconds), after: endless),
        Correction(
          customer: "ben", entitlement: name, moment: 0, before: .unknownCustomer,
          after: .init(reason: .notYetValid, ownership: 0, validUntil: 0)),
        Correction(
          customer: "stranger", entitlement: name, moment: 0, before: .init(reason: .notYetValid, ownership: 0, validUntil: 0),
          after: .unknownCustomer),
      ]
    }
    expected.sort { ($0.customer, $0.entitlement ?? "") < ($1.customer, $1.entitlement ?? "") }
    for _ in 0..<2 {
      #expect(try store.rebuild(isDryRun: true).corrections == expected)
      #expect(store.answer("anna", at: day(6)).reason == .refunded)
    }
    let (corrections, last) = try store.rebuild()
    #expect(corrections == expected)
    #expect(last.customers == 4)
    #expect(try store.rebuild().corrections == [])
    #expect(store.answer("anna", at: day(6)) == endless)
    #expect(store.answer("ben") == endless)
    #expect(store.answer("stranger") == .unknownCustomer)
    #expect(store.revision == 4)
  }

  @Test("A rebuild of one customer or one lineage leaves the others alone")
  func scopes() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    try store.record(lifetime("2") { $0.ownership = .familyShared }, as: "ben", sharedFrom: ["1"])
    try store.record(lifetime("3"), as: "carla")
    for customer in ["anna", "ben", "carla"] as [CustomerID] { store.plant(nil, of: customer) }
    #expect(Set(try store.rebuild(.lineage(ScopedID(.production, "1"))).corrections.map(\.customer)) == ["anna", "ben"])
    #expect(store.answer("carla") == .unknownCustomer)
    #expect(Set(try store.rebuild(.customer("carla")).corrections.map(\.customer)) == ["carla"])
    #expect(store.answer("carla") == endless)
    #expect(try store.rebuild(.customer("nobody")).corrections == [])
    #expect(try store.rebuild(.lineage(ScopedID(.sandbox, "1"))).last.customers == 0)
  }

  @Test("Who was wrongly known, or wrongly unknown, is a correction even where no entitlement has a name")
  func knownCustomers() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1") { $0.type = .other("Loot Box") }, as: "dora")
    store.plant(nil, of: "dora")
    store.plant(lifetime("2") { $0.type = .other("Loot Box") }, of: "stranger")
    let expected = [
      Correction(customer: "dora", entitlement: nil, moment: 0, before: .unknownCustomer, after: .neverOwned),
      Correction(customer: "stranger", entitlement: nil, moment: 0, before: .neverOwned, after: .unknownCustomer),
    ]
    #expect(try store.rebuild(isDryRun: true).corrections == expected)
    #expect(try store.rebuild().corrections == expected)
    #expect(try store.rebuild().corrections == [])
    #expect(store.answer("dora") == .neverOwned)
    #expect(store.answer("stranger") == .unknownCustomer)
  }

  @Test(
    "Answers planted at random are each reported, and after that everyone is answered by a fresh fold",
    arguments: 1...4 as ClosedRange<UInt64>)
  func planted(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    var history = RandomHistory(seed: seed)
    var random = SeededRandom(seed: seed)
    let store = try openStore(directory.store)
    for _ in 0..<150 { _ = try? store.submitAndWait(history.input()) }
    var wrong: Set<CustomerID> = []
    for customer in RandomHistory.everyone where random.next() % 2 == 0 {
      let before = store.words(of: customer)
      store.plant(random.next() % 2 == 0 ? nil : lifetime("planted"), of: customer)
      if store.words(of: customer) != before { wrong.insert(customer) }
    }
    #expect(Set(try store.rebuild().corrections.map(\.customer)) == wrong)
    #expect(try store.rebuild().corrections == [])
    store.expectAnswersOfLedger()
  }

  @Test("A second rebuild of everyone is refused; one of a customer, and a snapshot, are not")
  func busy() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    var isTold = false
    try store.rebuild(.everyone, isDryRun: true) { _ in
      isTold = true
      #expect(failure { try store.rebuild() } == .busy)
      #expect(failure { try store.rebuild(.customer("anna")) } == nil)
      #expect(failure { try store.takeSnapshot() } == nil)
      return true
    }
    #expect(isTold)
    _ = try store.rebuild()
  }

  @Test("Closing waits for a long work that is under way, and then takes its snapshot")
  func closingMeanwhile() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try store.record(lifetime("1"), as: "anna")
    let closed = AwaitedValue(false)
    try store.rebuild(.everyone, isDryRun: true) { _ in
      _ = try? Thread(named: "closing") {
        try? store.close()
        closed.update { $0 = true }
      }
      while failure({ try store.record(lifetime("2"), as: "ben") }) != .closed {}
      return true
    }
    closed.wait { $0 ? () : nil }
    #expect(store.journal.newestSnapshotRevision == store.revision)
  }

  @Test("Recordings go on while everyone is folded again, and are none of its corrections")
  func recordingsMeanwhile() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    var isOver = false
    for number in 1...200 { try store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number)")) }
    let ended = AwaitedValue(false)
    _ = try Thread(named: "recordings") {
      for number in 201...400 {
        _ = try? store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number % 230)"))
      }
      ended.update { $0 = true }
    }
    repeat {
      isOver = ended.update { $0 }
      #expect(try store.rebuild().corrections == [])
    } while !isOver
    #expect(store.revision == 401)
  }
}
