import LatchkeyWire
import Protobuf

/// Reads an envelope and a check in place, and as the general decoder does: both accept the same bytes, and find the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe input(start, count)
  let fast = unsafe try? RequestEnvelope(parsing: bytes.span.bytes)
  let general = try? Request(decoding: bytes)
  precondition((fast == nil) == (general == nil), "one decoder refuses an envelope that the other takes")
  if let fast, let general {
    precondition(Array(bytes[fast.payload]) == general.payload && fast.methodNumber == general.methodNumber, "they differ")
    precondition(fast.timeoutNanoseconds == general.timeoutNanoseconds, "their timeouts differ")
    _ = unsafe fast.calledMethod(in: bytes.span.bytes)
  }
  let query = unsafe try? CheckAccessQuery(parsing: bytes.span.bytes)
  let request = try? CheckAccessRequest(decoding: bytes)
  precondition((query == nil) == (request == nil), "one decoder refuses a check that the other takes")
  if let query, let request {
    precondition(Array(bytes[query.customerID]) == Array(request.customerID.utf8), "their customers differ")
    precondition(Array(bytes[query.entitlement]) == Array(request.entitlement.utf8), "their entitlements differ")
  }
  return 0
}
