import Entitlements
import Protobuf

@testable import Storage

/// Decodes an input of the journal and an entry of a snapshot, and reads a line of a dump: what is accepted is the same again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
  if unsafe input.first == UInt8(ascii: "{") {
    _ = unsafe try? Restoration(line: String(decoding: input, as: UTF8.self))
  } else {
    unsafe decode(StoredInput.self, input.bytes)
    unsafe decode(StoredEntry.self, input.bytes)
  }
  return 0
}

private func decode<Value: Message>(_ type: Value.Type, _ bytes: RawSpan) {
  guard let message = try? Value(decoding: bytes) else { return }
  guard let again = try? Value(decoding: message.encoded()) else { preconditionFailure("what was written is refused") }
  precondition(again == message, "what was written means something else")
}
