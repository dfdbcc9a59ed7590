import LatchkeyWire
import Protobuf

/// Reads an envelope and a check in place, and as the general decoder does: both accept the same bytes, and find the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
  unsafe compareEnvelopes(input)
  unsafe compareChecks(input)
  return 0
}

private func compareEnvelopes(_ input: UnsafeRawBufferPointer) {
  let bytes = unsafe input.bytes
  let fast = try? RequestEnvelope(parsing: bytes)
  let general = try? Request(decoding: bytes)
  precondition((fast == nil) == (general == nil), "one decoder refuses an envelope that the other takes")
  guard let fast, let general else { return }
  precondition(unsafe input[fast.payload].elementsEqual(general.payload), "their payloads differ")
  precondition(fast.methodNumber == general.methodNumber, "their methods differ")
  precondition(fast.timeoutNanoseconds == general.timeoutNanoseconds, "their timeouts differ")
  _ = fast.calledMethod(in: bytes)
}

private func compareChecks(_ input: UnsafeRawBufferPointer) {
  let bytes = unsafe input.bytes
  let fast = try? CheckAccessQuery(parsing: bytes)
  let general = try? CheckAccessRequest(decoding: bytes)
  precondition((fast == nil) == (general == nil), "one decoder refuses a check that the other takes")
  guard let fast, let general else { return }
  precondition(unsafe input[fast.customerID].elementsEqual(general.customerID.utf8), "their customers differ")
  precondition(unsafe input[fast.entitlement].elementsEqual(general.entitlement.utf8), "their entitlements differ")
}
