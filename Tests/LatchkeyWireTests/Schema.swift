import Foundation
import LatchkeyWire
import Protobuf
import Testing

/// The messages and enumerations of the schema by their full names, and the folder where it stands.
enum Schema {
  static let messages: [String: any Message.Type] = [
    "grpc.health.v1.HealthCheckRequest": HealthCheckRequest.self,
    "grpc.health.v1.HealthCheckResponse": HealthCheckResponse.self,
    "latchkey.v1.AccessChange": AccessChange.self,
    "latchkey.v1.AuditAccessRequest": AuditAccessRequest.self,
    "latchkey.v1.AuditAccessResponse": AuditAccessResponse.self,
    "latchkey.v1.AuditedAnswer": AuditedAnswer.self,
    "latchkey.v1.CatalogEffect": CatalogEffect.self,
    "latchkey.v1.AgeClass": AgeClass.self,
    "latchkey.v1.CheckAccessBatchRequest": CheckAccessBatchRequest.self,
    "latchkey.v1.CheckAccessBatchResponse": CheckAccessBatchResponse.self,
    "latchkey.v1.CheckAccessRequest": CheckAccessRequest.self,
    "latchkey.v1.CheckAccessResponse": CheckAccessResponse.self,
    "latchkey.v1.CompareCatalogRequest": CompareCatalogRequest.self,
    "latchkey.v1.CompareCatalogResponse": CompareCatalogResponse.self,
    "latchkey.v1.CheckCount": CheckCount.self,
    "latchkey.v1.CorrectedAnswer": CorrectedAnswer.self,
    "latchkey.v1.Correction": Correction.self,
    "latchkey.v1.CrowdedPurchase": CrowdedPurchase.self,
    "latchkey.v1.CurrencyAmount": CurrencyAmount.self,
    "latchkey.v1.EntitlementAnswer": EntitlementAnswer.self,
    "latchkey.v1.EraseCustomerRequest": EraseCustomerRequest.self,
    "latchkey.v1.EraseCustomerResponse": EraseCustomerResponse.self,
    "latchkey.v1.ExplainAccessRequest": ExplainAccessRequest.self,
    "latchkey.v1.ExplainAccessResponse": ExplainAccessResponse.self,
    "latchkey.v1.GetConsumptionRequest": GetConsumptionRequest.self,
    "latchkey.v1.GetConsumptionResponse": GetConsumptionResponse.self,
    "latchkey.v1.GetHistoryRequest": GetHistoryRequest.self,
    "latchkey.v1.GetHistoryResponse": GetHistoryResponse.self,
    "latchkey.v1.GetLeakReportRequest": GetLeakReportRequest.self,
    "latchkey.v1.GetLeakReportResponse": GetLeakReportResponse.self,
    "latchkey.v1.GetRefundReportRequest": GetRefundReportRequest.self,
    "latchkey.v1.GetRefundReportResponse": GetRefundReportResponse.self,
    "latchkey.v1.GrantAccessRequest": GrantAccessRequest.self,
    "latchkey.v1.GrantAccessResponse": GrantAccessResponse.self,
    "latchkey.v1.GrantExplanation": GrantExplanation.self,
    "latchkey.v1.HelloRequest": HelloRequest.self,
    "latchkey.v1.HelloResponse": HelloResponse.self,
    "latchkey.v1.HistoryEntry": HistoryEntry.self,
    "latchkey.v1.LaterInput": LaterInput.self,
    "latchkey.v1.IssueShare": IssueShare.self,
    "latchkey.v1.Lag": Lag.self,
    "latchkey.v1.Leak": Leak.self,
    "latchkey.v1.LeftOut": LeftOut.self,
    "latchkey.v1.Limits": Limits.self,
    "latchkey.v1.ListEntitlementsRequest": ListEntitlementsRequest.self,
    "latchkey.v1.ListEntitlementsResponse": ListEntitlementsResponse.self,
    "latchkey.v1.ManualGrant": ManualGrant.self,
    "latchkey.v1.MoveCustomerRequest": MoveCustomerRequest.self,
    "latchkey.v1.MoveCustomerResponse": MoveCustomerResponse.self,
    "latchkey.v1.Notification": LatchkeyWire.Notification.self,
    "latchkey.v1.RebuildEntitlementsRequest": RebuildEntitlementsRequest.self,
    "latchkey.v1.ReadBackupRequest": ReadBackupRequest.self,
    "latchkey.v1.ReadBackupResponse": ReadBackupResponse.self,
    "latchkey.v1.RebuildProgress": RebuildProgress.self,
    "latchkey.v1.RebuildSummary": RebuildSummary.self,
    "latchkey.v1.RecordTransactionRequest": RecordTransactionRequest.self,
    "latchkey.v1.RecordTransactionResponse": RecordTransactionResponse.self,
    "latchkey.v1.RefundCluster": RefundCluster.self,
    "latchkey.v1.RefundLine": RefundLine.self,
    "latchkey.v1.RefundsByPeople": RefundsByPeople.self,
    "latchkey.v1.ReloadConfigurationRequest": ReloadConfigurationRequest.self,
    "latchkey.v1.ReloadConfigurationResponse": ReloadConfigurationResponse.self,
    "latchkey.v1.RenewalInfo": RenewalInfo.self,
    "latchkey.v1.RestoreEntryRequest": RestoreEntryRequest.self,
    "latchkey.v1.RestoreEntryResponse": RestoreEntryResponse.self,
    "latchkey.v1.TakeSnapshotRequest": TakeSnapshotRequest.self,
    "latchkey.v1.TakeSnapshotResponse": TakeSnapshotResponse.self,
    "latchkey.v1.Transaction": Transaction.self,
    "latchkey.v1.TransactionExplanation": TransactionExplanation.self,
    "latchkey.v1.WatchChangesRequest": WatchChangesRequest.self,
    "latchkey.v1.WatchEvent": WatchEvent.self,
    "latchkey.v1.WatchPosition": WatchPosition.self,
    "latchkey.v1.WatchedChange": WatchedChange.self,
    "ttrpc.KeyValue": KeyValue.self,
    "ttrpc.Request": Request.self,
    "ttrpc.Response": Response.self,
    "ttrpc.Status": Status.self,
  ]

  /// The type of the message with a full name.
  static func type(_ name: String) throws -> any Message.Type {
    let type = messages[name]
    return try #require(type)
  }

  static let messageNames = messages.keys.sorted()

  /// The enumerations, with the prefix of their values' names.
  static let enumerations: [String: (type: any OpenEnumeration.Type, prefix: String)] = [
    "grpc.health.v1.HealthCheckResponse.ServingStatus": (ServingStatus.self, ""),
    "latchkey.v1.Environment": (Environment.self, "ENVIRONMENT_"),
    "latchkey.v1.Outcome": (Outcome.self, "OUTCOME_"),
    "latchkey.v1.Ownership": (Ownership.self, "OWNERSHIP_"),
    "latchkey.v1.ProductType": (ProductType.self, "PRODUCT_TYPE_"),
    "latchkey.v1.Reason": (Reason.self, "REASON_"),
    "latchkey.v1.RefundClass": (RefundClass.self, "REFUND_CLASS_"),
    "latchkey.v1.RevocationReason": (RevocationReason.self, "REVOCATION_REASON_"),
    "latchkey.v1.RevocationType": (RevocationType.self, "REVOCATION_TYPE_"),
    "latchkey.v1.Source": (Source.self, "SOURCE_"),
  ]

  /// The package's root folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Reads the vectors of one file.
  static func vectors<Vector: Decodable>(_ file: String) throws -> [Vector] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode([Vector].self, from: Data(contentsOf: root.appending(path: "schema/vectors/\(file)")))
  }
}
