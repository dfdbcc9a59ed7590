import Entitlements
import Storage

/// What a recording costs beside its disk: applied, folded, written and read.
enum HistoryWorks {
  /// How many customers of a kind are folded in turns.
  fileprivate static let customerCount = 64

  /// Folds customers from their histories, and compiles their answers.
  static func fold(_ kind: TypicalHistory, times: Int) throws -> Int {
    var ledger = Ledger(catalog: TypicalHistory.catalog)
    for number in 0..<customerCount { for recording in kind.recordings(of: number) { _ = try ledger.record(recording) } }
    let names = EntitlementNames()
    let customers = (0..<customerCount).map { TypicalHistory.customer($0) }
    var writer = AccessBlockWriter()
    var sum = 0
    for index in 0..<times where writer.write(customers[index % customers.count], of: ledger, names) {
      sum &+= writer.words.count
    }
    return sum
  }

  /// Applies the renewals of many customers to a ledger, everyone's first, then everyone's second.
  static func apply(times: Int) throws -> Int {
    var ledger = Ledger(catalog: TypicalHistory.catalog)
    var sum = 0
    for recording in recordings[..<times] { sum &+= try ledger.record(recording).affected.count }
    return sum
  }

  /// Makes the journal's bytes of recordings.
  static func encode(times: Int) -> Int {
    recordings[..<times].reduce(0) { $0 &+ StoredInput.record(of: .recording($1)).count }
  }

  /// Reads recordings from the journal's bytes.
  static func decode(times: Int) throws -> Int {
    let records = recordings.map { StoredInput(.recording($0)).record }
    var sum = 0
    for record in records[..<times] {
      guard case .recording(let recording) = try unsafe JournaledInput.read(record.span.bytes).input else { continue }
      sum &+= recording.rows.count
    }
    return sum
  }

  /// As many recordings as are ever applied.
  private static let recordings: [Recording] = {
    let all = (0..<2 * Work.applyRecording.times / 13 + 1).map { TypicalHistory.renewals.recordings(of: $0) }
    return (0..<13).flatMap { period in all.map { $0[period] } }
  }()
}

/// A customer's history as stores are full of them.
enum TypicalHistory {
  /// The first month of a subscription to a product for which the catalog lists two entitlements: most customers of most apps.
  case single
  /// A monthly subscription with two renewals, of a customer whose id is a UUID, as most are.
  case thirdMonth
  /// A monthly subscription with twelve renewals.
  case renewals
  /// A monthly subscription with 36 renewals.
  case longRenewals
  /// A purchaser, and five members of the family with whom it is shared.
  case family
  /// A member of a family, of whose copy a caller said which purchase is behind it.
  case member
  /// A monthly subscription whose third payment is overdue, with grace.
  case gracePeriod

  static let catalog = Catalog(products: [
    "pro.monthly": .init(type: .autoRenewableSubscription, entitlements: ["pro", "export"]),
    "lifetime": .init(type: .nonConsumable, entitlements: ["pro"]),
  ])

  static func customer(_ number: Int) -> CustomerID { CustomerID(CheckReads.customer(number)) }

  /// All recordings about one customer, and about those with whom they share.
  func recordings(of number: Int) -> [Recording] {
    let customer = TypicalHistory.customer(number)
    switch self {
    case .single: return [Recording(.month(0, of: number), of: customer)]
    case .thirdMonth:
      let digits = String(number)
      let customer = CustomerID("0a9f2b4c-81d3-4e6f-9a70-" + String(repeating: "0", count: 12 - digits.count) + digits)
      return (0...2).map { Recording(.month($0, of: number), of: customer) }
    case .renewals: return (0...12).map { Recording(.month($0, of: number), of: customer) }
    case .longRenewals: return (0...36).map { Recording(.month($0, of: number), of: customer) }
    case .gracePeriod:
      var overdue = Recording(.month(2, of: number), of: customer)
      let info = RenewalInfo(
        originalTransactionID: .lineage(number), signedDate: .month(3), gracePeriodExpiresDate: .month(4),
        isInBillingRetryPeriod: true, autoRenewProductID: "pro.monthly", autoRenewStatus: 1)
      overdue.renewalInfos = [.init(info: info)]
      return (0...1).map { Recording(.month($0, of: number), of: customer) } + [overdue]
    case .member:
      var shared = Transaction.month(0, of: number + HistoryWorks.customerCount)
      shared.ownership = .familyShared
      var recording = Recording(shared, of: customer)
      recording.sharedFrom = [.lineage(number)]
      return [Recording(.month(0, of: number), of: CustomerID("purchaser \(number)")), recording]
    case .family:
      let purchase = Recording(.month(0, of: number), of: customer)
      return [purchase]
        + (1...5).map { member in
          var shared = Transaction.month(0, of: number)
          shared.ownership = .familyShared
          shared.transactionID = Identifier("9\(number)\(member)")
          return Recording(shared, of: CustomerID("\(customer.text).\(member)"))
        }
    }
  }
}

extension Recording {
  fileprivate init(_ transaction: Transaction, of customer: CustomerID) {
    self.init(customer: customer, rows: [.init(transaction: transaction)], receivedAt: transaction.signedDate)
  }
}

extension Transaction {
  /// One month of a customer's subscription.
  fileprivate static func month(_ month: Int, of number: Int) -> Transaction {
    Transaction(
      transactionID: Identifier("\(2_000_000_000_000_000 + number * 100 + month)"), originalTransactionID: .lineage(number),
      productID: "pro.monthly", type: .autoRenewableSubscription, environment: .production, purchaseDate: .month(month),
      expiresDate: .month(month + 1), signedDate: .month(month), priceMilliunits: 9_990, currency: "EUR",
      appTransactionID: Identifier("\(704_000_000_000_000_000 + number)"))
  }
}

extension Identifier {
  fileprivate static func lineage(_ number: Int) -> Identifier { Identifier("\(2_000_000_000_000_000 + number * 100)") }
}

extension Moment {
  /// The beginning of a period of thirty days, counted from 2025-01-01.
  static func month(_ month: Int) -> Moment {
    Moment(milliseconds: 1_735_689_600_000 + Int64(month) * 30 * 86_400_000)
  }
}
