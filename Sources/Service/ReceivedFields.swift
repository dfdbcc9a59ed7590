import AppStore
import Entitlements
import LatchkeyWire
import Storage

// What a request says in fields: a transaction and a renewal info, with the notification that they came in.

extension RecordTransactionRequest {
  /// Refuses what stands in no recording, so that `Recording.validate` doesn't see it.
  ///
  /// - Throws: `INVALID_ARGUMENT` where there are no fields, and for a raw word beside a number that says another one.
  func checkFields() throws(Status) {
    guard renewalInfoJSON.isEmpty else {
      throw Status(.invalidArgument, "renewal_info_json: belongs beside a bare transaction in apple_json")
    }
    guard transaction != nil || renewalInfo != nil || notification != nil else {
      throw Status(.invalidArgument, "transaction: is missing; give it, a renewal_info, a notification, or apple_json")
    }
    if let transaction { try transaction.checkRawWords(named: "transaction") }
    if let info = renewalInfo {
      try Field.checkRaw(info.rawEnvironment, beside: info.environment, other: .other, named: "renewal_info.raw_environment")
    }
    if let notification {
      try Field.checkRaw(
        notification.rawEnvironment, beside: notification.environment, other: .other, named: "notification.raw_environment")
      try Field.checkWord(notification.bundleID, named: "notification.bundle_id")
    }
  }
}

extension LatchkeyWire.Transaction {
  /// Refuses a raw word beside a number that says another one.
  func checkRawWords(named name: String) throws(Status) {
    try Field.checkRaw(rawType, beside: type, other: .other, named: "\(name).raw_type")
    try Field.checkRaw(rawOwnership, beside: ownership, other: .other, named: "\(name).raw_ownership")
    try Field.checkRaw(rawEnvironment, beside: environment, other: .other, named: "\(name).raw_environment")
    try Field.checkRaw(
      rawRevocationReason, beside: revocationReason ?? .other, other: .unnamed, named: "\(name).raw_revocation_reason")
    try Field.checkRaw(rawRevocationType, beside: revocationType, other: .other, named: "\(name).raw_revocation_type")
  }
}

// MARK: - As a recording

extension RecordTransactionRequest {
  /// What the notification is called.
  var notificationIdentity: Recording.Notification? { notification.map { Recording.Notification($0) } }

  /// The transaction as a row of a recording: where it names no environment or app, its notification's stand in.
  var rows: [Recording.Row] {
    guard let transaction else { return [] }
    var version = Entitlements.Transaction(transaction)
    version.environment = version.environment ?? notifiedEnvironment
    return [Recording.Row(transaction: version, bundleID: bundle(transaction.bundleID), revokeMark: revokeMark(version))]
  }

  /// The renewal info: where it names no lineage, environment or app, those of the transaction stand in.
  var renewalInfos: [Recording.Renewal] {
    guard let renewalInfo else { return [] }
    let row = rows.first
    var info = Entitlements.RenewalInfo(renewalInfo)
    if renewalInfo.originalTransactionID.isEmpty, let row { info.originalTransactionID = row.transaction.originalTransactionID }
    info.environment = info.environment ?? row?.transaction.environment ?? notifiedEnvironment
    let ownBundle = renewalInfo.bundleID.isEmpty ? row?.bundleID : renewalInfo.bundleID
    return [Recording.Renewal(info: info, bundleID: ownBundle ?? bundle(""))]
  }

  private var notifiedEnvironment: Entitlements.Environment? {
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
