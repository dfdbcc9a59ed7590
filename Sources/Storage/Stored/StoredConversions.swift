import Entitlements
import LatchkeyWire

// Inputs and state between the domain's values and the messages of schema/storage.proto.

/// Whatever changes the state: the journal holds these, and nothing else changes anything.
package enum Input: Hashable, Sendable {
  case recording(Recording)
  case settings(Settings)
  case catalog(Catalog)
  case granting(Granting)
  case erasure(Erasure)
  case move(CustomerMove)
  case restoration(Restoration)

  /// The input as it comes back from the journal, where what is empty is missing: the form to apply, so that a replay applies the
  /// same.
  var normalForm: Input {
    var input = self
    input.bringToNormalForm()
    return input
  }

  /// Makes it its normal form, in place.
  mutating func bringToNormalForm() {
    switch consume self {
    // Most inputs are recordings, so that theirs is made without the way there and back.
    case .recording(var recording):
      recording.bringToNormalForm()
      self = .recording(recording)
    case let other: self = StoredInput(other).input ?? other
    }
  }

  /// Refuses what can never be right.
  func validate() throws(Refusal) {
    switch self {
    case .recording(let recording): try recording.validate()
    case .granting(let granting): try granting.validate()
    case .erasure(let erasure): try erasure.validate()
    case .move(let move): try move.validate()
    case .restoration(let piece): try piece.validate()
    case .settings, .catalog: break
    }
  }

  /// Whether it concerns everyone, so that all are to be folded again.
  var concernsEveryone: Bool {
    switch self {
    case .settings, .catalog, .restoration(.settings), .restoration(.catalog): true
    case .recording, .granting, .erasure, .move, .restoration: false
    }
  }

  /// Whether what came before it is to be forgotten.
  var isErasure: Bool {
    if case .erasure = self { true } else { false }
  }
}

extension StoredInput {
  /// Makes the message of an input.
  package init(_ input: Input) {
    switch input {
    case .recording(let recording): self.recording = StoredRecording(recording)
    case .settings(let settings): self.settings = StoredSettings(settings)
    case .catalog(let catalog): self.catalog = StoredCatalog(catalog)
    case .granting(let granting): self.granting = StoredGranting(granting)
    case .erasure(let erasure): self.erasure = StoredErasure(erasure)
    case .move(let move): self.move = StoredMove(move)
    case .restoration(let piece): self.restoration = StoredEntry(piece)
    }
  }

  /// What the journal is to hold of an input that is recorded at a moment.
  init(_ input: Input, recordedAt: Moment) {
    self.init(input)
    recordedAtMilliseconds = recordedAt.milliseconds
  }

  /// The input; nil if none is set, or one that this version doesn't know.
  package var input: Input? {
    if let recording { return .recording(Recording(recording)) }
    if let settings { return .settings(Settings(settings)) }
    if let catalog { return .catalog(Catalog(catalog)) }
    if let granting { return .granting(Granting(granting)) }
    if let erasure { return .erasure(Erasure(erasure)) }
    if let move { return .move(CustomerMove(move)) }
    if let piece = restoration?.restoration { return .restoration(piece) }
    return nil
  }
}

extension StoredRecording {
  init(_ recording: Recording) {
    customerID = recording.customer?.text ?? ""
    notification = recording.notification.map { LatchkeyWire.Notification($0) }
    rows = recording.rows.map { StoredRow($0) }
    renewalInfos = recording.renewalInfos.map { StoredRenewal($0) }
    sharedFrom = recording.sharedFrom.map(\.text)
    source = LatchkeyWire.Source(recording.source)
    receivedAtMilliseconds = recording.receivedAt.milliseconds
  }
}

extension Recording {
  init(_ stored: StoredRecording) {
    self.init(
      customer: stored.customerID.isEmpty ? nil : CustomerID(stored.customerID),
      notification: stored.notification.map { Notification($0) },
      rows: stored.rows.map { Row($0) },
      renewalInfos: stored.renewalInfos.map { Renewal($0) },
      sharedFrom: stored.sharedFrom.map { Identifier($0) },
      source: Source(stored.source) ?? .serverNotification,
      receivedAt: Moment(milliseconds: stored.receivedAtMilliseconds))
  }
}

extension StoredRow {
  init(_ row: Recording.Row) {
    transaction = row.transaction.message(bundleID: row.bundleID)
    revokeMarkMilliseconds = row.revokeMark?.milliseconds
    otherFields = row.otherFields ?? ""
  }
}

extension Recording.Row {
  init(_ stored: StoredRow) {
    let transaction = stored.transaction ?? LatchkeyWire.Transaction()
    self.init(
      transaction: Entitlements.Transaction(transaction), bundleID: transaction.bundleID.isEmpty ? nil : transaction.bundleID,
      revokeMark: stored.revokeMarkMilliseconds.map { Moment(milliseconds: $0) },
      otherFields: stored.otherFields.isEmpty ? nil : stored.otherFields)
  }
}

extension StoredRenewal {
  init(_ renewal: Recording.Renewal) {
    info = LatchkeyWire.RenewalInfo(renewal.info, bundleID: renewal.bundleID)
    otherFields = renewal.otherFields ?? ""
  }
}

extension Recording.Renewal {
  init(_ stored: StoredRenewal) {
    let info = stored.info ?? LatchkeyWire.RenewalInfo()
    self.init(
      info: Entitlements.RenewalInfo(info), bundleID: info.bundleID.isEmpty ? nil : info.bundleID,
      otherFields: stored.otherFields.isEmpty ? nil : stored.otherFields)
  }
}

extension StoredSettings {
  init(_ settings: Settings) {
    (environment, rawEnvironment) = LatchkeyWire.Environment.pair(settings.environment)
    transferPolicy = settings.transferPolicy.rawValue
    customerFromAppAccountToken = settings.customerFromAppAccountToken
    clockSkewMilliseconds = settings.clockSkewMilliseconds
    bundleID = settings.bundleID ?? ""
    sandboxCustomers = settings.sandboxCustomers
  }
}

extension Settings {
  init(_ stored: StoredSettings) {
    self.init()
    environment = Environment(stored.environment, raw: stored.rawEnvironment) ?? .production
    transferPolicy = TransferPolicy(rawValue: stored.transferPolicy) ?? .move
    customerFromAppAccountToken = stored.customerFromAppAccountToken
    clockSkewMilliseconds = stored.clockSkewMilliseconds
    bundleID = stored.bundleID.isEmpty ? nil : stored.bundleID
    sandboxCustomers = stored.sandboxCustomers
  }
}

extension StoredCatalog {
  init(_ catalog: Catalog) {
    products = catalog.products.sorted { $0.key < $1.key }.map { id, product in
      var stored = StoredProduct()
      stored.productID = id.text
      (stored.type, stored.rawType) = LatchkeyWire.ProductType.pair(product.type)
      stored.entitlements = product.entitlements.map(\.text)
      stored.accessPeriodMonths = product.accessPeriod?.months ?? 0
      stored.accessPeriodDays = product.accessPeriod?.days ?? 0
      return stored
    }
  }
}

extension Catalog {
  init(_ stored: StoredCatalog) {
    self.init()
    for product in stored.products {
      let period = AccessPeriod(months: product.accessPeriodMonths, days: product.accessPeriodDays)
      self[Identifier(product.productID)] = Product(
        type: ProductType(product.type, raw: product.rawType), entitlements: product.entitlements.map { Identifier($0) },
        accessPeriod: period == AccessPeriod() ? nil : period)
    }
  }
}

extension StoredRecord {
  init(_ record: Record) {
    transaction = record.transaction.message()
    holders = record.holders.map(\.text)
    links = record.links.map(\.text)
    marks = record.marks.map { mark in
      var stored = StoredMark()
      stored.dateMilliseconds = mark.date.milliseconds
      stored.lastsThroughMilliseconds = mark.lastsThrough.milliseconds
      return stored
    }
    earliestRevokedVersionMilliseconds = record.earliestRevokedVersion?.milliseconds
    firstRecordedAtMilliseconds = record.firstRecordedAt.milliseconds
    recordedAtMilliseconds = record.recordedAt.milliseconds
    source = LatchkeyWire.Source(record.source)
    revocationRecordedAtMilliseconds = record.revocationRecordedAt?.milliseconds
  }
}

extension Record {
  init(_ stored: StoredRecord) {
    self.init(
      transaction: Entitlements.Transaction(stored.transaction ?? LatchkeyWire.Transaction()),
      source: Source(stored.source) ?? .serverNotification,
      recordedAt: Moment(milliseconds: stored.recordedAtMilliseconds))
    holders = stored.holders.map { CustomerID($0) }
    links = stored.links.map { Identifier($0) }
    marks = stored.marks.map {
      RevokeMark(
        date: Moment(milliseconds: $0.dateMilliseconds), lastsThrough: Moment(milliseconds: $0.lastsThroughMilliseconds))
    }
    earliestRevokedVersion = stored.earliestRevokedVersionMilliseconds.map { Moment(milliseconds: $0) }
    firstRecordedAt = Moment(milliseconds: stored.firstRecordedAtMilliseconds)
    restore(revocationRecordedAt: stored.revocationRecordedAtMilliseconds.map { Moment(milliseconds: $0) })
  }
}
