import Entitlements
import JSON

/// A document of Apple's as something to record: a notification of either version, a bare transaction or a bare renewal info,
/// all of them decoded.
///
/// Signatures are not checked here: whoever sends a document has verified and decoded it.
package struct AppleDocument: Sendable {
  /// What was recognised.
  package enum Kind: Hashable, Sendable {
    /// As Apple wrote them, known or not; see `NotificationType` and `NotificationSubtype`.
    case notification(type: String, subtype: String?)
    case notificationV1(type: String)
    case transaction
    case renewalInfo
  }

  package let kind: Kind
  /// Has no rows and no renewal infos where the document carries none.
  package internal(set) var recording: Recording
  /// What is odd about the document and didn't stop it, a sentence each: only what the recording doesn't show, since the ledger
  /// warns of the rest.
  package internal(set) var warnings: [String] = []
  /// When Apple signed it: the notification, else the bare transaction or renewal info; nil for version 1.
  package internal(set) var signedDate: Moment?

  /// Reads a document of up to 1 MiB, recognised by its keys.
  ///
  /// - Parameters:
  ///   - renewalInfo: the decoded renewal info that belongs to a bare transaction; an error with anything else.
  ///   - customer: passed on, as are `sharedFrom` and `receivedAt`; whoever takes them from a request has checked them.
  ///   - source: `serverNotification` for a notification and `device` for the others, where it is nil.
  /// - Throws: `JSONError` with the path and line of what is malformed, missing, of a wrong type, out of its limits, or signed.
  package init(
    parsing bytes: [UInt8], renewalInfo: [UInt8]? = nil, customer: CustomerID? = nil, sharedFrom: [Identifier] = [],
    source: Source? = nil, receivedAt: Moment
  ) throws(JSONError) {
    let root = try AppleDocument.object(parsing: bytes)
    kind = try AppleDocument.kind(of: root)
    recording = Recording(customer: customer, sharedFrom: sharedFrom, receivedAt: receivedAt)
    switch kind {
    case .notification(let type, let subtype): try readNotification(root, type: type, subtype: subtype)
    case .notificationV1(let type): try readNotificationV1(root, type: type)
    case .transaction: try readTransaction(root, renewalInfo: renewalInfo)
    case .renewalInfo: try readRenewalInfo(root)
    }
    guard renewalInfo == nil || kind == .transaction else {
      throw root.error("a renewal info of its own belongs to a bare transaction only")
    }
    recording.source = source ?? defaultSource
  }

  /// Reads a document from text; see the initialiser for bytes.
  package init(
    parsing text: String, renewalInfo: String? = nil, customer: CustomerID? = nil, sharedFrom: [Identifier] = [],
    source: Source? = nil, receivedAt: Moment
  ) throws(JSONError) {
    try self.init(
      parsing: Array(text.utf8), renewalInfo: renewalInfo.map { Array($0.utf8) }, customer: customer, sharedFrom: sharedFrom,
      source: source, receivedAt: receivedAt)
  }

  private var defaultSource: Source {
    switch kind {
    case .notification, .notificationV1: .serverNotification
    case .transaction, .renewalInfo: .device
    }
  }

  private mutating func readTransaction(_ root: JSONReader, renewalInfo: [UInt8]?) throws(JSONError) {
    let row = try Recording.Row(transaction: root, in: Envelope(), warnings: &warnings)
    recording.rows = [row]
    if row.transaction.signedDate.milliseconds > 0 { signedDate = row.transaction.signedDate }
    guard let renewalInfo else { return }
    let object = try AppleDocument.object(parsing: renewalInfo, name: "renewalInfo")
    recording.renewalInfos = [try Recording.Renewal(renewalInfo: object, with: row, in: Envelope(), warnings: &warnings)]
  }

  private mutating func readRenewalInfo(_ root: JSONReader) throws(JSONError) {
    let renewal = try Recording.Renewal(renewalInfo: root, with: nil, in: Envelope(), warnings: &warnings)
    recording.renewalInfos = [renewal]
    if renewal.info.signedDate.milliseconds > 0 { signedDate = renewal.info.signedDate }
  }
}
