import Entitlements
import LatchkeyWire
import Platform
import Storage

// RebuildEntitlements: what a given history adds is recorded first, then the answers are folded anew.

extension EntitlementService {
  /// Folds entitlements again from history, and streams progress and corrections; the last message has the summary.
  func rebuild(_ call: Call) {
    guard let request = call.request(RebuildEntitlementsRequest.self) else { return }
    do throws(Status) {
      let scope = try scope(of: request)
      var summary = RebuildSummary()
      if case .customer(let customer) = scope, let history = try GivenHistory(request, customer: customer, receivedAt: now) {
        try take(history, isDryRun: request.dryRun, into: &summary)
      }
      try fold(scope, isDryRun: request.dryRun, call, into: &summary)
      RebuildStream(call: call).finish(summary)
    } catch {
      call.fail(error)
    }
  }

  private func scope(of request: RebuildEntitlementsRequest) throws(Status) -> RebuildScope {
    let given = [!request.customerID.isEmpty, !request.originalTransactionID.isEmpty, request.everyone].filter { $0 }
    guard given.count == 1 else {
      throw Status(.invalidArgument, "customer_id: give exactly one of customer_id, original_transaction_id and everyone")
    }
    if request.customerID.isEmpty {
      if !request.history.isEmpty { throw Status(.invalidArgument, "history: belongs with a customer_id") }
      if !request.historyJSON.isEmpty { throw Status(.invalidArgument, "history_json: belongs with a customer_id") }
    }
    let environment = try Field.environment(request.environment)
    guard !request.originalTransactionID.isEmpty else {
      if environment != nil { throw Status(.invalidArgument, "environment: belongs with an original_transaction_id") }
      return request.everyone ? .everyone : .customer(try Field.id(request.customerID, named: "customer_id"))
    }
    let lineage = try Field.id(request.originalTransactionID, named: "original_transaction_id")
    return .lineage(ScopedID(environment ?? store.read { ledger, _ in ledger.settings.environment }, lineage))
  }

  /// Records what is new of a given history; in a dry run only works out what that would do.
  ///
  /// A transaction that would be refused refuses the whole history, before any of it is recorded.
  private func take(_ history: GivenHistory, isDryRun: Bool, into summary: inout RebuildSummary) throws(Status) {
    summary.notListed = history.notListed(in: store)
    var (effect, news) = try history.tryOut(on: store, at: now)
    if !isDryRun { effect = try GivenHistory.record(news, in: store) }
    summary.recorded = effect.recorded
    summary.changes = effect.changes.map { LatchkeyWire.AccessChange($0) }
  }

  private func fold(
    _ scope: RebuildScope, isDryRun: Bool, _ call: Call, into summary: inout RebuildSummary
  ) throws(Status) {
    let stream = RebuildStream(call: call)
    var failure: Status?
    do throws(StoreError) {
      try store.rebuild(scope, isDryRun: isDryRun, turns: Turns(isGivenUp: { call.reply.isCancelled })) { step in
        summary.customers = UInt64(step.customers)
        summary.transactions = UInt64(step.transactions)
        summary.corrections += UInt64(step.corrections.count)
        do throws(Status) { try stream.send(step) } catch { failure = error }
        return failure == nil
      }
    } catch {
      throw failure ?? error.status
    }
    summary.revision = store.revision
  }
}
