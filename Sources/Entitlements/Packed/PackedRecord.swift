/// A record in the 64 bytes of one line of the processor's cache.
///
/// Ids that other records name, too, are numbers of what is known of them; what many records have in common is kept once
/// (`RecordTraits`); and what few records have at all stands elsewhere (`RecordDetails`).
struct PackedRecord: Sendable, BitwiseCopyable {
  var transactionID = PackedIdentifier.empty
  private var purchase = PackedRecord.noMoment
  private var expires = PackedRecord.noMoment
  var signedDate = Moment(milliseconds: 0)
  var recordedAt = Moment(milliseconds: 0)
  /// None only where nothing but an anonymous record is left.
  var lineage = LineageNumber.none
  var account = AccountNumber.none
  /// The first of them.
  var holder = CustomerNumber.none
  /// The first of the lineages that callers named as the purchase behind it.
  var link = LineageNumber.none
  /// The number of its `RecordDetails` plus one; zero where it has none.
  private var detailsPlace: UInt32 = 0
  private var traitsAndToken: UInt32 = 0

  /// No recording and no snapshot has this moment.
  private static let noMoment = Int64.min + 1
  private static let tokenBit: UInt32 = 1 << 31

  var purchaseDate: Moment? {
    get { purchase == PackedRecord.noMoment ? nil : Moment(milliseconds: purchase) }
    set { purchase = newValue?.milliseconds ?? PackedRecord.noMoment }
  }

  var expiresDate: Moment? {
    get { expires == PackedRecord.noMoment ? nil : Moment(milliseconds: expires) }
    set { expires = newValue?.milliseconds ?? PackedRecord.noMoment }
  }

  /// The number of its `RecordTraits`.
  var traits: Int {
    get { Int(traitsAndToken & ~PackedRecord.tokenBit) }
    set {
      precondition(newValue < PackedRecord.tokenBit, "numbers of traits have 31 bits")
      traitsAndToken = traitsAndToken & PackedRecord.tokenBit | UInt32(newValue)
    }
  }

  /// Whether its account token is the id of its first holder, as it is where apps are built as Apple recommends.
  var hasHolderAsToken: Bool {
    get { traitsAndToken & PackedRecord.tokenBit != 0 }
    set { traitsAndToken = traitsAndToken & ~PackedRecord.tokenBit | (newValue ? PackedRecord.tokenBit : 0) }
  }

  /// The number of its `RecordDetails`, where it has some.
  var details: Int? {
    get { detailsPlace == 0 ? nil : Int(detailsPlace) - 1 }
    set { detailsPlace = newValue.map { UInt32($0 + 1) } ?? 0 }
  }
}

/// What few records have: those that were revoked, or changed, or are held by several customers.
struct RecordDetails: Hashable, Sendable {
  /// Where it isn't when the newest version was recorded.
  var firstRecordedAt: Moment?
  var revocationDate: Moment?
  var earliestRevokedVersion: Moment?
  var revocationRecordedAt: Moment?
  /// Where it isn't the id of the first holder.
  var appAccountToken: String?
  var otherHolders: [CustomerNumber] = []
  var otherLinks: [LineageNumber] = []
  var marks: [RevokeMark] = []

  static let none = RecordDetails()

  /// The date from which a record is revoked whose newest version was signed at a moment; as `Record.revokedFrom`.
  func revokedFrom(beside signedDate: Moment) -> Moment? { revocationDate ?? marks.earliest(beside: signedDate) }
}

/// What many records have in common.
struct RecordTraits: Hashable, Sendable {
  var productID: Identifier
  var type: ProductType?
  var ownership: Ownership
  var environment: Environment
  var isUpgraded: Bool
  var revocationReason: RevocationReason?
  var revocationType: RevocationType?
  var revocationPercentage: Int32?
  var priceMilliunits: Int64?
  var currency: String?
  var source: Source
}

extension RecordTraits {
  /// Compared byte by byte, since each record comes back as it was recorded: words that only look alike are two.
  static func == (one: RecordTraits, other: RecordTraits) -> Bool {
    one.productID == other.productID && one.priceMilliunits == other.priceMilliunits && one.source == other.source
      && one.isUpgraded == other.isUpgraded && one.revocationPercentage == other.revocationPercentage
      && areSame(one.type, other.type) && areSame(one.ownership, other.ownership)
      && areSame(one.environment, other.environment) && areSameBytes(one.currency, other.currency)
      && areSame(one.revocationReason, other.revocationReason) && areSame(one.revocationType, other.revocationType)
  }

  private static func areSame<Word: AppleWord>(_ one: Word?, _ other: Word?) -> Bool {
    guard one == other else { return false }
    guard let text = one?.unknownText else { return true }
    return areSameBytes(text, other?.unknownText)
  }

  private static func areSameBytes(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.span.hasSameBytes(as: other.utf8.span)
  }

  init(_ record: Record) { self.init(record.transaction, in: record.environment, from: record.source) }

  /// Takes the traits of a record from its newest version, and where it came from.
  init(_ transaction: borrowing Transaction, in environment: Environment, from source: Source) {
    self.init(
      productID: transaction.productID, type: transaction.type, ownership: transaction.ownership,
      environment: environment, isUpgraded: transaction.isUpgraded, revocationReason: transaction.revocationReason,
      revocationType: transaction.revocationType, revocationPercentage: transaction.revocationPercentage,
      priceMilliunits: transaction.priceMilliunits, currency: transaction.currency, source: source)
  }
}
