import AppStore
import Entitlements
import LatchkeyWire
import Storage

/// What a request says in fields: a transaction and a renewal info, with the notification that they came in.
struct ReceivedFields {
  private let transaction: LatchkeyWire.Transaction?
  private let renewalInfo: LatchkeyWire.RenewalInfo?
  private let notification: LatchkeyWire.Notification?

  /// Takes the fields.
  ///
  /// - Throws: `INVALID_ARGUMENT` where there are none, for a raw word beside a number that says another one, and for what stands
  ///   in no recording, so that `Recording.validate` doesn't see it.
  init(_ request: RecordTransactionRequest) throws(Status) {
    transaction = request.transaction
    renewalInfo = request.renewalInfo
    notification = request.notification
    guard request.renewalInfoJSON.isEmpty else {
      throw Status(.invalidArgument, "renewal_info_json: belongs beside a bare transaction in apple_json")
    }
    guard transaction != nil || renewalInfo != nil || notification != nil else {
      throw Status(.invalidArgument, "transaction: is missing; give it, a renewal_info, a notification, or apple_json")
    }
    if let transaction { try ReceivedFields.checkRawWords(of: transaction, named: "transaction") }
    if let info = renewalInfo {
      try Field.checkRaw(info.rawEnvironment, beside: info.environment, other: .other, named: "renewal_info.raw_environment")
    }
    if let notification { try ReceivedFields.check(notification) }
  }

  /// Refuses a raw word of a transaction beside a number that says another one.
  static func checkRawWords(of transaction: LatchkeyWire.Transaction, named name: String) throws(Status) {
    try Field.checkRaw(transaction.rawType, beside: transaction.type, other: .other, named: "\(name).raw_type")
    try Field.checkRaw(transaction.rawOwnership, beside: transaction.ownership, other: .other, named: "\(name).raw_ownership")
    try Field.checkRaw(
      transaction.rawEnvironment, beside: transaction.environment, other: .other, named: "\(name).raw_environment")
    try Field.checkRaw(
      transaction.rawRevocationReason, beside: transaction.revocationReason ?? .other, other: .unnamed,
      named: "\(name).raw_revocation_reason")
    try Field.checkRaw(
      transaction.rawRevocationType, beside: transaction.revocationType, other: .other, named: "\(name).raw_revocation_type")
  }

  private static func check(_ notification: LatchkeyWire.Notification) throws(Status) {
    try Field.checkRaw(
      notification.rawEnvironment, beside: notification.environment, other: .other, named: "notification.raw_environment")
    try Field.checkWord(notification.bundleID, named: "notification.bundle_id")
  }
}

// MARK: - As a recording

extension ReceivedFields {
  /// What the notification is called.
  var notificationIdentity: Recording.Notification? { notification.map { Recording.Notification($0) } }

  /// The transaction as a row of a recording: where it names no environment or app, its notification's stand in.
  var rows: [Recording.Row] {
    guard let transaction else { return [] }
    var version = Entitlements.Transaction(transaction)
    version.environment = version.environment ?? environment
    return [Recording.Row(transaction: version, bundleID: bundle(transaction.bundleID), revokeMark: revokeMark(version))]
  }

  /// The renewal info: where it names no lineage, environment or app, those of the transaction stand in.
  var renewalInfos: [Recording.Renewal] {
    guard let renewalInfo else { return [] }
    let row = rows.first
    var info = Entitlements.RenewalInfo(renewalInfo)
    if renewalInfo.originalTransactionID.isEmpty, let row { info.originalTransactionID = row.transaction.originalTransactionID }
    info.environment = info.environment ?? row?.transaction.environment ?? environment
    let ownBundle = renewalInfo.bundleID.isEmpty ? row?.bundleID : renewalInfo.bundleID
    return [Recording.Renewal(info: info, bundleID: ownBundle ?? bundle(""))]
  }

  private var environment: Entitlements.Environment? {
    notification.flatMap { Environment($0.environment, raw: $0.rawEnvironment) }
  }

  private func bundle(_ own: String) -> String? {
    own.isEmpty ? notification.flatMap { $0.bundleID.isEmpty ? nil : $0.bundleID } : own
  }

  /// A REVOKE whose transaction carries no revocation date revokes it all the same, as of when it was signed.
  private func revokeMark(_ version: Entitlements.Transaction) -> Moment? {
    guard let notification, notification.type == NotificationType.revoke.rawValue, version.revocationDate == nil else {
      return nil
    }
    let signed = notification.signedDateMilliseconds
    return signed == 0 ? version.signedDate : Moment(milliseconds: signed)
  }
}
