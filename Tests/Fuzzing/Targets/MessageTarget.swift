import LatchkeyWire
import Protobuf

/// Decodes the message type that the first byte picks: what is accepted is the same after it was written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let input = unsafe UnsafeRawBufferPointer(start: start, count: count)
  guard let kind = unsafe input.first else { return 0 }
  unsafe decoders[Int(kind) % decoders.count](input.bytes.extracting(droppingFirst: 1))
  return 0
}

/// What clients and servers send as a whole message; the rest stands inside of these.
private let decoders: [@Sendable (RawSpan) -> Void] = [
  decoder(Request.self), decoder(Response.self), decoder(HelloRequest.self), decoder(HelloResponse.self),
  decoder(CheckAccessRequest.self), decoder(CheckAccessResponse.self), decoder(CheckAccessBatchRequest.self),
  decoder(CheckAccessBatchResponse.self), decoder(RecordTransactionRequest.self), decoder(RecordTransactionResponse.self),
  decoder(GrantAccessRequest.self), decoder(GrantAccessResponse.self), decoder(ListEntitlementsRequest.self),
  decoder(ListEntitlementsResponse.self), decoder(ExplainAccessRequest.self), decoder(ExplainAccessResponse.self),
  decoder(GetHistoryRequest.self), decoder(GetHistoryResponse.self), decoder(WatchChangesRequest.self),
  decoder(WatchEvent.self), decoder(RebuildEntitlementsRequest.self), decoder(RebuildProgress.self),
  decoder(CompareCatalogRequest.self), decoder(CompareCatalogResponse.self), decoder(EraseCustomerRequest.self),
  decoder(EraseCustomerResponse.self), decoder(MoveCustomerRequest.self), decoder(MoveCustomerResponse.self),
  decoder(GetConsumptionRequest.self), decoder(GetConsumptionResponse.self), decoder(AuditAccessRequest.self),
  decoder(AuditAccessResponse.self), decoder(GetRefundReportRequest.self), decoder(GetRefundReportResponse.self),
  decoder(GetLeakReportRequest.self), decoder(GetLeakReportResponse.self), decoder(ReadBackupRequest.self),
  decoder(ReadBackupResponse.self), decoder(RestoreEntryRequest.self), decoder(RestoreEntryResponse.self),
  decoder(TakeSnapshotRequest.self), decoder(TakeSnapshotResponse.self), decoder(ReloadConfigurationRequest.self),
  decoder(ReloadConfigurationResponse.self), decoder(HealthCheckRequest.self), decoder(HealthCheckResponse.self),
]

private func decoder<Value: Message>(_ type: Value.Type) -> @Sendable (RawSpan) -> Void {
  { bytes in
    guard let message = try? Value(decoding: bytes) else { return }
    guard let again = try? Value(decoding: message.encoded()) else { preconditionFailure("what was written is refused") }
    precondition(again == message, "what was written means something else")
  }
}
