import AppStore
import Entitlements
import LatchkeyWire
import Platform
import Storage

// RebuildEntitlements: what a given history adds is recorded first, then the answers are folded anew.

extension EntitlementService {
  /// Folds entitlements again from history, and streams progress and corrections; the last message has the summary.
  func rebuild<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(RebuildEntitlementsRequest.self) else { return }
    do throws(Status) {
      let scope = try scope(of: request)
      var summary = RebuildSummary()
      if case .customer(let customer) = scope, let history = try history(of: request, customer: customer) {
        try compare(history, customer: customer, &summary)
        if request.dryRun { try tryOut(history, customer: customer, &summary) } else { try record(history, call, &summary) }
      }
      try fold(scope, isDryRun: request.dryRun, call, &summary)
    } catch {
      call.fail(error)
    }
  }

  private func scope(of request: RebuildEntitlementsRequest) throws(Status) -> RebuildScope {
    let given = [!request.customerID.isEmpty, !request.originalTransactionID.isEmpty, request.everyone].filter { $0 }
    guard given.count == 1 else {
      throw Status(.invalidArgument, "customer_id: give exactly one of customer_id, original_transaction_id and everyone")
    }
    let hasHistory = !request.history.isEmpty || !request.historyJSON.isEmpty
    if hasHistory, request.customerID.isEmpty {
      throw Status(.invalidArgument, "history: belongs with a customer_id")
    }
    if request.everyone { return .everyone }
    if !request.customerID.isEmpty { return .customer(try Field.id(request.customerID, named: "customer_id")) }
    let lineage = try Field.id(request.originalTransactionID, named: "original_transaction_id")
    let environment = Environment(request.environment, raw: "") ?? store.read { ledger, _ in ledger.settings.environment }
    return .lineage(ScopedID(environment, lineage))
  }
}

// MARK: - The given history

extension EntitlementService {
  /// The history that came with the request, a recording for each transaction; nil where none came.
  private func history(of request: RebuildEntitlementsRequest, customer: CustomerID) throws(Status) -> [Recording]? {
    let receivedAt = now
    var rows: [Recording.Row]
    switch (request.history.isEmpty, request.historyJSON.isEmpty) {
    case (true, true): return nil
    case (false, false): throw Status(.invalidArgument, "history_json: give either history or history_json, not both")
    case (false, true):
      rows = request.history.map {
        Recording.Row(transaction: Entitlements.Transaction($0), bundleID: $0.bundleID.isEmpty ? nil : $0.bundleID)
      }
    case (true, false):
      do {
        rows = try AppleHistory(parsing: request.historyJSON, customer: customer, receivedAt: receivedAt).recording.rows
      } catch {
        throw Status(.invalidArgument, "history_json: \(error)")
      }
    }
    let recordings = rows.map { Recording(customer: customer, rows: [$0], source: .serverAPI, receivedAt: receivedAt) }
    for recording in recordings {
      do throws(Refusal) { try recording.validate() } catch { throw error.status }
    }
    return recordings
  }

  /// Reports what is held and isn't listed any more; it is never deleted.
  private func compare(_ history: [Recording], customer: CustomerID, _ summary: inout RebuildSummary) throws(Status) {
    summary.notListed = store.read { ledger, _ in
      let listed = Set(
        history.flatMap(\.rows).map { row in
          ScopedID(row.transaction.environment ?? ledger.settings.environment, row.transaction.transactionID)
        })
      return ledger.inOrder(ledger.holdings[customer] ?? []).map { ledger.records[$0] }.filter { !listed.contains($0.key) }
        .map(\.transaction.transactionID.text)
    }
  }

  /// Records what is new of the history.
  private func record<Reply>(_ history: [Recording], _ call: Call<Reply>, _ summary: inout RebuildSummary) throws(Status) {
    for recording in history {
      do throws(StoreError) {
        let applied = try store.submitAndWait(.recording(recording))
        if applied.recorded.outcome.isNews { summary.recorded += 1 }
        summary.changes += applied.changes.map { LatchkeyWire.AccessChange($0) }
      } catch {
        throw error.status
      }
      if call.reply.isCancelled { throw Status(.cancelled, "the client cancelled the rebuild") }
    }
  }

  /// Works out what recording the history would do, on a copy of what hangs together with it.
  private func tryOut(_ history: [Recording], customer: CustomerID, _ summary: inout RebuildSummary) throws(Status) {
    var part = store.read { ledger, _ in ledger.component(around: history, of: customer) }
    let moment = now
    for recording in history {
      let before = part
      do throws(Refusal) {
        let recorded = try part.record(recording)
        if recorded.outcome.isNews { summary.recorded += 1 }
        for affected in recorded.affected.sorted() {
          summary.changes += LatchkeyWire.AccessChange.between(
            before.access(of: affected), part.access(of: affected), of: affected, at: moment)
        }
      } catch {
        throw error.status
      }
    }
  }
}

extension Entitlements.Outcome {
  /// Whether something was new about the recording.
  fileprivate var isNews: Bool { self == .applied || self == .unclaimed }
}

extension LatchkeyWire.AccessChange {
  /// What a customer gained and lost.
  fileprivate static func between(
    _ before: CustomerAccess?, _ after: CustomerAccess?, of customer: CustomerID, at moment: Moment
  ) -> [LatchkeyWire.AccessChange] {
    let names = Set((before?.timelines ?? []).map(\.entitlement) + (after?.timelines ?? []).map(\.entitlement))
    return names.sorted().compactMap { name in
      let old = before?.decision(for: name, at: moment) ?? .denied(.unknownCustomer)
      let new = after?.decision(for: name, at: moment) ?? .denied(.unknownCustomer)
      guard old.isAllowed != new.isAllowed else { return nil }
      return LatchkeyWire.AccessChange(
        Storage.AccessChange(customer: customer, entitlement: name, reason: new.reason))
    }
  }
}

// MARK: - Folding

extension EntitlementService {
  private func fold<Reply>(
    _ scope: RebuildScope, isDryRun: Bool, _ call: Call<Reply>, _ summary: inout RebuildSummary
  ) throws(Status) {
    var summary = summary
    var isGivenUp = false
    do throws(StoreError) {
      try store.rebuild(scope, isDryRun: isDryRun) { step in
        summary.customers = UInt64(step.customers)
        summary.transactions = UInt64(step.transactions)
        summary.corrections += UInt64(step.corrections.count)
        isGivenUp = !send(RebuildProgress(step), call)
        return !isGivenUp
      }
    } catch {
      throw error.status
    }
    if isGivenUp { throw Status(.cancelled, "the client cancelled the rebuild, or didn't read its progress") }
    summary.revision = store.revision
    var last = RebuildProgress()
    last.customers = summary.customers
    last.customersTotal = summary.customers
    last.transactions = summary.transactions
    last.summary = summary
    _ = send(last, call)
    var end: [UInt8] = []
    Frame.appendEnd(ofStream: call.reply.streamID, to: &end)
    call.reply.finish(end)
  }

  /// Sends one message of the stream; returns false where nobody reads it.
  private func send<Reply>(_ progress: RebuildProgress, _ call: Call<Reply>) -> Bool {
    var frame: [UInt8] = []
    do {
      try Frame.append(streamed: progress, streamID: call.reply.streamID, to: &frame)
    } catch {
      // More corrections than fit into a frame: their count is in the summary all the same.
      return send(
        RebuildProgress.with {
          $0.customers = progress.customers
          $0.customersTotal = progress.customersTotal
          $0.transactions = progress.transactions
        }, call)
    }
    return !call.reply.isCancelled && call.reply.send(frame)
  }
}

extension RebuildProgress {
  init(_ step: RebuildStep) {
    self.init()
    customers = UInt64(step.customers)
    customersTotal = UInt64(step.customersTotal)
    transactions = UInt64(step.transactions)
    corrections = step.corrections.map { correction in
      Correction.with {
        $0.customerID = correction.customer.text
        $0.entitlement = correction.entitlement.text
        $0.before = CorrectedAnswer(correction.before, at: correction.moment)
        $0.after = CorrectedAnswer(correction.after, at: correction.moment)
      }
    }
  }
}

extension CorrectedAnswer {
  init(_ answer: AccessBlock.Answer, at moment: Int64) {
    self.init()
    let wire = CheckAccessAnswer(answer, revision: 0)
    allowed = wire.allowed
    reason = wire.reason
    validUntilMilliseconds = wire.validUntilMilliseconds
    atTimeMilliseconds = moment
  }
}
