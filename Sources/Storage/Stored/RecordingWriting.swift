import Entitlements
import LatchkeyWire
import Protobuf

// A recording's bytes without its message: nearly all inputs are recordings, and most of what a message costs is not its bytes.

extension StoredInput {
  /// The record that the journal is to hold of an input: the bytes of its message.
  package static func record(of input: Input) -> [UInt8] {
    guard case .recording(let recording) = input else { return StoredInput(input).record }
    var encoder = MessageEncoder(roomFor: 256)
    encoder.append(1) { encoder in encoder.append(fieldsOf: recording) }
    return encoder.bytes
  }

  /// The time at which inputs were journaled, as the end of their records: messages one behind the other are one message.
  ///
  /// - Parameter milliseconds: since 1970.
  static func time(_ milliseconds: Int64) -> [UInt8] {
    var time = StoredInput()
    time.recordedAtMilliseconds = milliseconds
    return time.encoded()
  }
}

extension MessageEncoder {
  /// Writes the fields of a ``StoredRecording``.
  fileprivate mutating func append(fieldsOf recording: Recording) {
    if let customer = recording.customer { append(1, customer) }
    for row in recording.rows { append(2) { encoder in encoder.append(fieldsOf: row) } }
    for renewal in recording.renewalInfos { append(3, StoredRenewal(renewal)) }
    for link in recording.sharedFrom { link.withBytes { append(4, $0) } }
    append(5, LatchkeyWire.Source(recording.source))
    if recording.receivedAt.milliseconds != 0 { append(6, signed: recording.receivedAt.milliseconds) }
    if let notification = recording.notification { append(7, LatchkeyWire.Notification(notification)) }
  }

  /// Writes the fields of a ``StoredRow``.
  private mutating func append(fieldsOf row: Recording.Row) {
    append(1, row.transaction, bundleID: row.bundleID)
    if let mark = row.revokeMark { append(2, signed: mark.milliseconds) }
    if let fields = row.otherFields { append(3, fields) }
  }

  private mutating func append(_ number: Int, _ message: some Message) {
    var message = message
    append(number) { encoder in message.encode(into: &encoder) }
  }
}
