import Entitlements
import TestSupport
import Testing

@testable import Storage

struct ConversionTests {
  private func decoded(_ input: Input) throws -> Input? { try StoredInput(decoding: StoredInput(input).encoded()).input }

  @Test("The journal gives back every input as it was", arguments: 1...8 as ClosedRange<UInt64>)
  func inputs(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    for _ in 0..<200 {
      let input = history.input()
      #expect(input.normalForm == input)
      #expect(try decoded(input) == input)
      #expect(StoredInput.record(of: input) == StoredInput(input).record)
    }
  }

  @Test("What is empty, unknown, zero or at its extreme is applied in the very form that a replay gets")
  func unusual() throws {
    for input in unusualInputs {
      #expect(try decoded(input) == input.normalForm)
      #expect(input.normalForm.normalForm == input.normalForm)
      #expect(StoredInput.record(of: input.normalForm) == StoredInput(input.normalForm).record)
    }
  }

  private var unusualInputs: [Input] {
    var bare = Transaction(transactionID: "t", originalTransactionID: "", productID: "\u{e9}", type: .other(""))
    bare.purchaseDate = Moment(milliseconds: 0)
    bare.ownership = .other("")
    bare.environment = .other("")
    bare.revocationReason = .unnamed("")
    bare.revocationType = .other("")
    bare.currency = ""
    bare.appTransactionID = ""
    bare.appAccountToken = ""
    var full = lifetime("e\u{301}\u{0}\u{1F511}")
    full.purchaseDate = .distantPast
    full.expiresDate = Moment(milliseconds: 0)
    full.revocationDate = .distantFuture
    full.revocationReason = .other
    full.revocationPercentage = .min
    full.priceMilliunits = .min
    full.environment = .xcode
    let info = RenewalInfo(
      originalTransactionID: "o", environment: .localTesting, gracePeriodExpiresDate: Moment(milliseconds: 0),
      autoRenewProductID: "", autoRenewStatus: 0, expirationIntent: -1)
    var settings = Settings()
    settings.environment = .other("Moon")
    settings.bundleID = ""
    settings.sandboxCustomers = ["", "*"]
    settings.clockSkewMilliseconds = 0
    let recording = Recording(
      customer: "", notification: .init(type: "", subtype: "", uuid: "", signedDate: Moment(milliseconds: 0)),
      rows: [
        .init(transaction: bare, bundleID: "", revokeMark: Moment(milliseconds: 0), otherFields: ""), .init(transaction: full),
      ],
      renewalInfos: [.init(info: info, bundleID: "", otherFields: "")], sharedFrom: ["", "o"], receivedAt: Moment(milliseconds: 0)
    )
    let catalog = Catalog(products: ["": .init(type: .other(""), entitlements: ["", ""], accessPeriod: AccessPeriod())])
    return [
      .recording(recording), .recording(Recording(receivedAt: day(0))), .settings(settings), .catalog(catalog),
      .catalog(Catalog()),
      .granting(
        Granting(
          customer: "", entitlement: "", by: "", note: "", recordedAt: .distantPast,
          act: .give(from: Moment(milliseconds: 0), until: Moment(milliseconds: 0)))),
      .granting(
        Granting(
          customer: "a", entitlement: "e", by: "b", note: "n", recordedAt: day(0), act: .takeBack(at: Moment(milliseconds: 0)))),
    ]
  }

  @Test("A snapshot gives back every record and renewal info as it was", arguments: 1...8 as ClosedRange<UInt64>)
  func records(seed: UInt64) throws {
    var history = RandomHistory(seed: seed)
    var state = StoreState(ledger: Ledger(catalog: .sample))
    for _ in 0..<200 { _ = try? state.apply(history.input()) }
    var restored = Ledger()
    var records = RestoredRecords()
    for entry in SnapshotEntries(of: state.ledger) {
      let decoded = try StoredEntry(decoding: entry.encoded())
      if let record = decoded.record { records.add(Record(record), number: decoded.recordNumber, to: &restored) }
      if let tombstone = decoded.tombstone { restored.restore(Tombstone(tombstone)) }
      if let info = decoded.renewalInfo { restored.restore(Entitlements.RenewalInfo(info)) }
      if let given = decoded.customerGrants {
        restored.restore(given.grants.map { ManualGrant($0) }, of: CustomerID(given.customerID))
      }
      if let settings = decoded.settings { restored.replace(settings: Settings(settings)) }
      if let catalog = decoded.catalog { restored.replace(catalog: Catalog(catalog)) }
    }
    records.finish(&restored)
    #expect(Array(restored.records) == state.ledger.records.filter { !$0.isBlank })
    #expect(restored.records.count > 15)
    #expect(restored.grants == state.ledger.grants)
    #expect(restored.grants.count > 2)
    #expect(restored.settings == state.ledger.settings)
    #expect(restored.catalog == state.ledger.catalog)
    #expect(Set(restored.renewalInfos.compactMap(\.self)) == Set(state.ledger.renewalInfos.compactMap(\.self)))
    #expect(StoreContents(restored, revision: 0) == StoreContents(state.ledger, revision: 0))
  }
}
