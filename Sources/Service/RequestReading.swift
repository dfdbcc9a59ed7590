import Entitlements
import LatchkeyWire
import Protobuf
import Storage

// A recording from the bytes of its request without its message, as nearly all requests are: most of what a message costs is not
// its fields. This is a second reading of what the message says, which `RequestReadingTests` holds to the first.

extension ReceivedRecording {
  /// Takes a transaction that a request hands over in fields; nil where it hands over anything else, is written in another way than
  /// encoders do, or may have to be refused: its message is then to be looked at.
  ///
  /// Inlined where it is called, which spares copies of what it makes.
  @inline(__always)
  init?(inPlace bytes: RawSpan, now: Moment) {
    var fields = OrderedFields(filling: bytes)
    let customer = fields.text(1, in: bytes)
    guard customer.count <= Identifier.byteLimit, let message = fields.message(2, in: bytes),
      let transaction = TransactionFields(message, in: bytes), !transaction.hasRawWords
    else { return nil }
    var sharedFrom: [Identifier] = []
    while let link = fields.element(5, in: bytes) { sharedFrom.append(Identifier(bytes, link)) }
    let source: LatchkeyWire.Source = fields.enumeration(6, in: bytes)
    let receivedAt = Moment(milliseconds: fields.integer(7, in: bytes))
    let evaluateAt = Moment(milliseconds: fields.integer(8, in: bytes))
    guard fields.isComplete, sharedFrom.count <= Recording.linkLimit, Moment.accepted.contains(receivedAt),
      Moment.accepted.contains(evaluateAt), let source = source == .unspecified ? .device : Entitlements.Source(source)
    else { return nil }
    let row = Recording.Row(
      transaction: Transaction(transaction, in: bytes), bundleID: String(present: transaction.bundleID, in: bytes))
    recording = Recording(
      customer: Identifier(present: customer, in: bytes), rows: [row], sharedFrom: sharedFrom, source: source,
      receivedAt: receivedAt.milliseconds == 0 ? now : receivedAt)
    self.evaluateAt = evaluateAt.milliseconds == 0 ? nil : evaluateAt
  }
}
