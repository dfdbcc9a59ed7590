import AppStore
import Entitlements
import JSON

/// Reads a document: what is accepted is the same after it was written and read again. Then as what Apple sends, and as a catalog.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  if let document = try? JSONDocument(parsing: bytes) {
    guard let again = try? JSONDocument(parsing: document.root.value.compact) else { preconditionFailure("it is refused") }
    precondition(again.root.value == document.root.value, "what was written means something else")
  }
  if let apple = try? AppleDocument(parsing: bytes, receivedAt: Moment(milliseconds: 1_767_225_600_000)) {
    _ = try? apple.recording.validate()
  }
  _ = try? Catalog(parsing: bytes)
  return 0
}
