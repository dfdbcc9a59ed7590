import Entitlements
import LatchkeyWire
import Protobuf

// A recording from its bytes without its message, as `RecordingWriting` makes them. What is written otherwise is read by the message.

/// An input as the journal holds it.
package struct JournaledInput {
  /// Nil where it is of a kind that this version doesn't know.
  package var input: Input?
  /// The time of its position; 0 where it isn't said.
  var recordedAt: Moment

  /// Reads a record of the journal, whose limit on bytes is the only one.
  ///
  /// - Throws: `MalformedMessage` as its message does.
  package static func read(_ bytes: RawSpan) throws(MalformedMessage) -> JournaledInput {
    var fields = OrderedFields(filling: bytes)
    if let recording = Recording.next(of: &fields, in: bytes) {
      let recordedAt = Moment(milliseconds: fields.integer(10, in: bytes))
      if fields.isComplete { return JournaledInput(input: .recording(recording), recordedAt: recordedAt) }
    }
    let stored = try StoredInput(record: bytes)
    return JournaledInput(input: stored.input, recordedAt: Moment(milliseconds: stored.recordedAtMilliseconds))
  }
}

extension Recording {
  /// Reads a ``StoredRecording`` that is the next field of a ``StoredInput``; nil where there is none, or it isn't as it is written.
  static func next(of input: inout OrderedFields, in bytes: RawSpan) -> Recording? {
    guard var fields = input.message(1, in: bytes) else { return nil }
    let customer = fields.text(1, in: bytes)
    guard let rows = list(2, of: &fields, in: bytes, Row.init(_:in:)),
      let renewalInfos = list(3, of: &fields, in: bytes, Renewal.init(_:in:))
    else { return nil }
    var sharedFrom: [Identifier] = []
    while let link = fields.element(4, in: bytes) { sharedFrom.append(Identifier(bytes, link)) }
    let source: LatchkeyWire.Source = fields.enumeration(5, in: bytes)
    let receivedAt = fields.integer(6, in: bytes)
    var notification: Notification?
    if let message = fields.message(7, in: bytes) {
      notification = Notification(message, in: bytes)
      if notification == nil { return nil }
    }
    guard fields.isComplete else { return nil }
    return Recording(
      customer: Identifier(present: customer, in: bytes), notification: notification, rows: rows, renewalInfos: renewalInfos,
      sharedFrom: sharedFrom, source: Source(source) ?? .serverNotification, receivedAt: Moment(milliseconds: receivedAt))
  }

  /// Reads a list of messages; nil where one isn't as it is written.
  private static func list<Element>(
    _ number: Int, of fields: inout OrderedFields, in bytes: RawSpan, _ read: (OrderedFields, RawSpan) -> Element?
  ) -> [Element]? {
    var list: [Element] = []
    while let message = fields.message(number, in: bytes) {
      guard let element = read(message, bytes) else { return nil }
      list.append(element)
    }
    return list
  }
}

extension Recording.Row {
  /// Reads the fields of a ``StoredRow``.
  fileprivate init?(_ message: OrderedFields, in bytes: RawSpan) {
    var fields = message
    guard let message = fields.message(1, in: bytes), let transaction = TransactionFields(message, in: bytes) else { return nil }
    let revokeMark = fields.presentInteger(2, in: bytes)
    let otherFields = fields.text(3, in: bytes)
    guard fields.isComplete else { return nil }
    self.init(
      transaction: Transaction(transaction, in: bytes), bundleID: String(present: transaction.bundleID, in: bytes),
      revokeMark: revokeMark.map { Moment(milliseconds: $0) }, otherFields: String(present: otherFields, in: bytes))
  }
}

extension Recording.Renewal {
  /// Reads the fields of a ``StoredRenewal``.
  fileprivate init?(_ message: OrderedFields, in bytes: RawSpan) {
    var fields = message
    guard var info = fields.message(1, in: bytes) else { return nil }
    let otherFields = fields.text(2, in: bytes)
    let originalTransactionID = info.text(1, in: bytes)
    let signedDate = info.integer(2, in: bytes)
    let gracePeriodExpiresDate = info.presentInteger(3, in: bytes)
    let isInBillingRetryPeriod = info.bool(4, in: bytes)
    let autoRenewProductID = info.text(5, in: bytes)
    let autoRenewStatus = info.presentShortInteger(6, in: bytes)
    let expirationIntent = info.presentShortInteger(7, in: bytes)
    let environment: LatchkeyWire.Environment = info.enumeration(8, in: bytes)
    let rawEnvironment = info.text(9, in: bytes)
    let bundleID = info.text(10, in: bytes)
    guard fields.isComplete, info.isComplete else { return nil }
    self.init(
      info: Entitlements.RenewalInfo(
        originalTransactionID: Identifier(bytes, originalTransactionID),
        environment: Environment(environment, raw: String(bytes, rawEnvironment)), signedDate: Moment(milliseconds: signedDate),
        gracePeriodExpiresDate: gracePeriodExpiresDate.map { Moment(milliseconds: $0) },
        isInBillingRetryPeriod: isInBillingRetryPeriod, autoRenewProductID: Identifier(present: autoRenewProductID, in: bytes),
        autoRenewStatus: autoRenewStatus, expirationIntent: expirationIntent),
      bundleID: String(present: bundleID, in: bytes), otherFields: String(present: otherFields, in: bytes))
  }
}

extension Recording.Notification {
  /// Reads the fields of a ``LatchkeyWire/Notification``, but for what the rows and renewal infos took over.
  fileprivate init?(_ message: OrderedFields, in bytes: RawSpan) {
    var fields = message
    let (type, subtype, uuid) = (fields.text(1, in: bytes), fields.text(2, in: bytes), fields.text(3, in: bytes))
    let signedDate = fields.integer(4, in: bytes)
    guard fields.isComplete else { return nil }
    self.init(
      type: String(present: type, in: bytes), subtype: String(present: subtype, in: bytes),
      uuid: String(present: uuid, in: bytes), signedDate: signedDate == 0 ? nil : Moment(milliseconds: signedDate))
  }
}
