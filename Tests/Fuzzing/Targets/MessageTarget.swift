import LatchkeyWire
import Protobuf

@testable import Storage

/// Decodes the message type that the first byte picks: what is accepted is the same after it was written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe input(start, count)
  guard let kind = bytes.first else { return 0 }
  kinds[Int(kind) % kinds.count](Array(bytes.dropFirst()))
  return 0
}

private let kinds: [@Sendable ([UInt8]) -> Void] = [
  { decode(RecordTransactionRequest.self, $0) }, { decode(RecordTransactionResponse.self, $0) },
  { decode(CheckAccessBatchRequest.self, $0) }, { decode(CheckAccessBatchResponse.self, $0) },
  { decode(RebuildEntitlementsRequest.self, $0) }, { decode(RebuildProgress.self, $0) },
  { decode(ExplainAccessResponse.self, $0) }, { decode(GetHistoryRequest.self, $0) }, { decode(GetHistoryResponse.self, $0) },
  { decode(HelloRequest.self, $0) }, { decode(Response.self, $0) }, { decode(StoredInput.self, $0) },
  { decode(StoredBlock.self, $0) },
]

private func decode<Value: Message>(_ type: Value.Type, _ bytes: [UInt8]) {
  guard let message = try? Value(decoding: bytes) else { return }
  let written = message.encoded()
  guard let again = try? Value(decoding: written) else { preconditionFailure("what was written is refused") }
  precondition(again == message, "what was written means something else")
}
