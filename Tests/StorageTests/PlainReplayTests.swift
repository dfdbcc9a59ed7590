import Entitlements
import TestSupport
import Testing

@testable import Storage

/// Recordings that a start adds without working out what they come to, held to what recording them came to.
struct PlainReplayTests {
  @Test("A replay gives the state that recording gave, also of what is added plainly", arguments: 1...12 as ClosedRange<UInt64>)
  func replay(seed: UInt64) throws {
    var inputs = PlainInputs(seed: seed)
    var live = StoreState()
    let recovering = Recovering()
    var met = MetTraits()
    var plainCount = 0
    for revision in 1...400 as ClosedRange<UInt64> {
      let input = revision == 1 ? .catalog(.sample) : inputs.next()
      let record = StoredInput(input, recordedAt: day(1)).record
      let count = recovering.state.ledger.records.count
      if try isPlain(record, to: recovering.state, &met) { plainCount += 1 }
      // What is refused is refused by both.
      _ = try? live.apply(input)
      try unsafe recovering.replay(revision, record.span.bytes)
      if let added = recovering.state.ledger.traitsOfOneBehind(count) { met.keep(added) }
      let areSame = recovering.state.ledger.records == live.ledger.records
      try #require(areSame, "input \(revision)")
      if revision % 16 == 0 {
        #expect(
          StoreContents(recovering.state.ledger, revision: recovering.state.revision)
            == StoreContents(live.ledger, revision: live.revision))
      }
      #expect(recovering.state.ledger.settings == live.ledger.settings)
    }
    #expect(plainCount > 30)
    // What comes later finds the same: all that hangs together.
    for _ in 0..<100 {
      let input = inputs.history.input()
      _ = try? live.apply(input)
      _ = try? recovering.state.apply(input)
      let areSame = recovering.state.ledger.records == live.ledger.records
      try #require(areSame)
    }
    #expect(StoreContents(recovering.state.ledger, revision: 0) == StoreContents(live.ledger, revision: 0))
  }

  /// Whether an input of the journal would be added plainly; asked of a copy, and of traits that are met as a replay meets them.
  private func isPlain(_ record: [UInt8], to state: StoreState, _ met: inout MetTraits) throws -> Bool {
    guard let fields = unsafe RecordFields(input: record.span.bytes) else { return false }
    guard let traits = unsafe met.traits(of: fields, in: record.span.bytes),
      unsafe fields.isForApp(state.ledger.settings.bundleID, in: record.span.bytes)
    else { return false }
    var copy = state
    return unsafe copy.applyPlainly(RecordParts.of(fields, in: record.span.bytes), traits)
  }

  @Test("What a replay reads in place of a recording is what its message says", arguments: 1...8 as ClosedRange<UInt64>)
  func fields(seed: UInt64) throws {
    var inputs = PlainInputs(seed: seed)
    var (readCount, others) = (0, 0)
    for _ in 0..<200 {
      let written = StoredInput(inputs.next(), recordedAt: day(1)).record
      for bytes in [written] + (0..<6).map({ _ in damaged(written, by: &inputs.history.random) }) {
        guard let fields = unsafe RecordFields(input: bytes.span.bytes) else {
          others += 1
          continue
        }
        readCount += 1
        let message = try unsafe StoredInput(record: bytes.span.bytes)
        guard case .recording(let recording) = message.input else {
          Issue.record("only a recording is read")
          continue
        }
        #expect(recording.renewalInfos.isEmpty && recording.sharedFrom.isEmpty && recording.rows.count == 1)
        let row = try #require(recording.rows.first)
        #expect(row.revokeMark == nil)
        for app in [nil, "com.example.app", "com.example.other"] {
          let isForApp = unsafe fields.isForApp(app, in: bytes.span.bytes)
          #expect(isForApp == (app == nil || row.bundleID == nil || row.bundleID == app))
        }
        // What is revoked is for the ledger's rules.
        if row.transaction.revocationDate != nil { continue }
        // One that names no environment is of the server's.
        var transaction = row.transaction
        transaction.environment = transaction.environment ?? .production
        var record = Record(transaction: transaction, source: recording.source, recordedAt: recording.receivedAt)
        record.holders = recording.customer.map { [$0] } ?? []
        var (ledger, records, met) = (Ledger(), RestoredRecords(), MetTraits())
        _ = unsafe met.traits(of: fields, in: bytes.span.bytes)
        met.keep(records.add(record, to: &ledger))
        let traits = try #require(unsafe met.traits(of: fields, in: bytes.span.bytes))
        unsafe records.add(RecordParts.of(fields, in: bytes.span.bytes), traits, number: nil, to: &ledger)
        #expect(ledger.records[1] == record)
      }
    }
    #expect(readCount > 100 && others > 100)
  }
}

/// Inputs of which most are new purchases of few customers, with traits that come again.
private struct PlainInputs {
  var history: RandomHistory
  private var transactionCount = 0

  init(seed: UInt64) { history = RandomHistory(seed: seed) }

  mutating func next() -> Input {
    if history.random.oneIn(8) { return history.input() }
    var transaction = history.transaction()
    if !history.random.oneIn(8) {
      transactionCount += 1
      transaction.transactionID = Identifier("\(2_000_000_000 + transactionCount)")
      transaction.revocationDate = nil
    }
    transaction.ownership = history.any([.purchased, .purchased, .purchased, .purchased, .purchased, .purchased, .familyShared])
    transaction.environment = history.any([.production, .production, .production, .sandbox, nil, nil])
    // A lineage is mostly of one customer, who is mostly named.
    let number = Int.random(in: 1...21, using: &history.random)
    transaction.originalTransactionID = history.random.oneIn(3) ? transaction.transactionID : Identifier("o\(number)")
    let customer = history.random.oneIn(12) ? history.any(RandomHistory.customers) : RandomHistory.customers[number % 7]
    if !history.random.oneIn(6) { (transaction.productID, transaction.type) = ("pro.monthly", .autoRenewableSubscription) }
    transaction.priceMilliunits = history.any([nil, 9_990, 9_990, 9_990])
    transaction.currency = transaction.priceMilliunits.map { _ in "EUR" }
    (transaction.revocationReason, transaction.revocationType, transaction.revocationPercentage) = (nil, nil, nil)
    transaction.isUpgraded = history.random.oneIn(20)
    transaction.appTransactionID = history.maybe(oneIn: 2) { $0.id("a", of: 30) }
    transaction.appAccountToken = history.maybe(oneIn: 3) { $0.random.oneIn(4) ? "ben" : customer.text }
    let row = Recording.Row(
      transaction: transaction,
      bundleID: history.maybe(oneIn: 3) { $0.random.oneIn(6) ? "com.example.other" : "com.example.app" },
      otherFields: history.maybe(oneIn: 4) { _ in "{\"webOrderLineItemId\":\"1\"}" })
    return .recording(
      Recording(
        customer: history.random.oneIn(3) ? nil : customer, notification: history.maybe(oneIn: 2) { $0.notification() },
        rows: [row], renewalInfos: history.maybe(oneIn: 12) { [$0.renewal()] } ?? [],
        source: history.any([.serverNotification, .serverNotification, .device]), receivedAt: history.moment()))
  }
}
