import Entitlements
import Protobuf

@testable import Storage

/// Decodes an input of the journal and an entry of a snapshot, and reads a line of a dump: what is accepted is the same again. What
/// is read in place is what its message says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
  if unsafe input.first == UInt8(ascii: "{") {
    _ = unsafe try? Restoration(line: String(decoding: input, as: UTF8.self))
  } else {
    unsafe decode(StoredInput.self, input.bytes)
    unsafe decode(StoredEntry.self, input.bytes)
    unsafe readInPlace(input.bytes)
  }
  return 0
}

private func decode<Value: Message>(_ type: Value.Type, _ bytes: RawSpan) {
  guard let message = try? Value(decoding: bytes) else { return }
  guard let again = try? Value(decoding: message.encoded()) else { preconditionFailure("what was written is refused") }
  precondition(again == message, "what was written means something else")
}

private func readInPlace(_ bytes: RawSpan) {
  var fields = OrderedFields(filling: bytes)
  if let recording = Recording.next(of: &fields, in: bytes), fields.isComplete {
    precondition((try? StoredInput(record: bytes))?.input == .recording(recording), "a recording in place is another one")
  }
  if RecordFields(entry: bytes) != nil {
    guard let entry = try? StoredEntry(entry: bytes) else { preconditionFailure("a record in place is refused by its message") }
    let given = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    precondition(entry.encoded() == given, "a record in place is written otherwise")
  }
}
