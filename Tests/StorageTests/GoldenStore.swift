import Entitlements
import Journaling
import LatchkeyWire
import Platform

@testable import Storage

/// A store that is the same bytes each time it is written: every kind of input in its journal, and of entry in its snapshot.
enum GoldenStore {
  static let settings: Settings = {
    var settings = Settings()
    settings.bundleID = "com.example.app"
    settings.sandboxCustomers = ["tester.*"]
    return settings
  }()

  static let catalog = Catalog(products: [
    "pro.monthly": .init(type: .autoRenewableSubscription, entitlements: ["pro"]),
    "lifetime": .init(type: .nonConsumable, entitlements: ["pro", "plus"]),
    "season.pass": .init(type: .nonRenewingSubscription, entitlements: ["season"], accessPeriod: AccessPeriod(days: 30)),
  ])

  private static let order = OperatorOrder(by: "privacy desk", note: "request 4711", at: day(4))

  /// A subscription of Anna's, in the version that is signed on a day.
  private static func monthly(signed: Moment, _ change: (inout Entitlements.Transaction) -> Void = { _ in })
    -> Entitlements.Transaction
  {
    var transaction = Entitlements.Transaction(
      transactionID: "t1", originalTransactionID: "o1", productID: "pro.monthly", type: .autoRenewableSubscription,
      environment: .production, purchaseDate: day(0), expiresDate: day(30), signedDate: signed, priceMilliunits: 9_990,
      currency: "EUR", appTransactionID: "a1", appAccountToken: "token")
    change(&transaction)
    return transaction
  }

  /// What the snapshot holds: the first nine.
  static let inputs: [Input] = [
    .settings(settings), .catalog(catalog),
    .recording(
      Recording(
        customer: "anna", notification: .init(type: "SUBSCRIBED", subtype: "INITIAL_BUY", uuid: "u1", signedDate: day(0)),
        rows: [
          .init(transaction: monthly(signed: day(0)), bundleID: "com.example.app", otherFields: #"{"storefront":"DEU"}"#)
        ],
        renewalInfos: [
          .init(
            info: Entitlements.RenewalInfo(
              originalTransactionID: "o1", environment: .production, signedDate: day(0), gracePeriodExpiresDate: day(36),
              autoRenewProductID: "pro.monthly", autoRenewStatus: 1),
            bundleID: "com.example.app")
        ],
        source: .serverNotification, receivedAt: day(1))),
    .recording(
      Recording(
        customer: "ben",
        rows: [
          .init(
            transaction: Entitlements.Transaction(
              transactionID: "t2", originalTransactionID: "o2", productID: "pro.monthly", type: .autoRenewableSubscription,
              ownership: .familyShared, purchaseDate: day(0), expiresDate: day(30), signedDate: day(1)),
            revokeMark: nil)
        ],
        sharedFrom: ["o1"], source: .device, receivedAt: day(1))),
    .granting(
      Granting(
        customer: "carla", entitlement: "plus", by: "support", note: "goodwill", recordedAt: day(2),
        act: .give(from: day(2), until: day(9)))),
    .recording(recording(lifetime("t3"), as: "dora")),
    .recording(recording(lifetime("t4"), as: "guest")),
    .erasure(Erasure(customer: "dora", order: order)),
    .move(CustomerMove(from: "guest", to: "emil", order: order)),
    // After the snapshot.
    .granting(
      Granting(
        customer: "carla", entitlement: "plus", by: "boss", note: "a mistake", recordedAt: day(5), act: .takeBack(at: day(5)))),
    .recording(
      Recording(
        rows: [
          .init(
            transaction: monthly(signed: day(6)) {
              $0.revocationDate = day(6)
              $0.revocationReason = .developerIssue
              $0.revocationType = .refundFull
              $0.revocationPercentage = 100_000
            }, revokeMark: nil)
        ], source: .serverAPI, receivedAt: day(7))),
  ]
  static let snapshotRevision: UInt64 = 9

  static let usage = Usage(buckets: [
    Usage.Bucket(newestHour: 490_900, checks: 3), Usage.Bucket(newestHour: 490_890, checks: 5), Usage.Bucket(), Usage.Bucket(),
  ])
  static let late = (transaction: ScopedID(.production, "t1"), count: Entitlements.CheckCount(checks: 2, isExact: false))

  /// Writes the store, which must not be there yet.
  static func write(_ path: String) throws {
    let last = Guarded<UInt64>(0xB000_0000_0000_0000)
    let options = JournalOptions(
      segmentBytes: 4096,
      randomNumber: {
        last.withLock { last in
          last += 1
          return last
        }
      })
    let journal = try JournalDirectory.open(path, options: options).recover(snapshot: { _ in }, record: { _, _ in })
    var state = StoreState()
    for (index, input) in inputs.enumerated() {
      let input = input.normalForm
      _ = try journal.append([StoredInput(input, recordedAt: day(Int64(index))).encoded()])
      _ = try state.apply(input)
      if state.revision == snapshotRevision { try writeSnapshot(of: state, to: journal) }
    }
    try journal.seal()
    try journal.noteComplete()
  }

  private static func writeSnapshot(of state: StoreState, to journal: Journal) throws {
    try journal.writeSnapshot(revision: state.revision) { writer in
      try writer.write(StoredBlock.with { $0.entries = entries(of: state.ledger) }.encoded())
      let counts: [StoredEntry] = [
        .with { $0.usage = StoredUsage("anna", [("pro", usage)]) },
        .with { $0.lateChecks = StoredLateChecks(late.transaction, late.count) },
      ]
      try writer.write(StoredBlock.with { $0.entries = counts }.encoded())
      return StateDigest(of: state.ledger).value
    }
  }

  /// The entries of the state in an order that never changes.
  private static func entries(of ledger: Ledger) -> [StoredEntry] {
    let head: [StoredEntry] = [
      .with { $0.settings = StoredSettings(ledger.settings) }, .with { $0.catalog = StoredCatalog(ledger.catalog) },
    ]
    let tombstones = ledger.tombstones.map { tombstone in StoredEntry.with { $0.tombstone = StoredTombstone(tombstone) } }
    let records = ledger.records.enumerated().filter { !$1.isBlank }.map { number, record in
      StoredEntry.with {
        $0.record = StoredRecord(record)
        $0.recordNumberPlusOne = UInt64(number) + 1
      }
    }
    let infos = ledger.renewalInfos.compactMap { $0 }.map { info in
      StoredEntry.with { $0.renewalInfo = LatchkeyWire.RenewalInfo(info) }
    }
    let grants = ledger.grants.map { customer, given in
      StoredEntry.with {
        $0.customerGrants = .with {
          $0.customerID = customer.text
          $0.grants = given.map { LatchkeyWire.ManualGrant($0) }
        }
      }
    }
    precondition(infos.count == 1 && grants.count == 1, "more than one would come in the order of a dictionary")
    return head + tombstones + records + infos + grants
  }
}
