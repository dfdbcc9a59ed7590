import AppStore
import Entitlements
import JSON
import LatchkeyWire
import Platform
import Storage

/// The full history of one customer that came with a rebuild: a recording for each of its transactions, in the customer's name.
struct GivenHistory: Sendable {
  let customer: CustomerID
  let recordings: [Recording]
  /// The field that it came in.
  private let name: String

  /// Takes the history from a request, from fields or from Apple's JSON; nil where none came.
  init?(_ request: RebuildEntitlementsRequest, customer: CustomerID, receivedAt: Moment) throws(Status) {
    let rows: [Recording.Row]
    switch (request.history.isEmpty, request.historyJSON.isEmpty) {
    case (true, true): return nil
    case (false, false): throw Status(.invalidArgument, "history_json: give either history or history_json, not both")
    case (false, true): (name, rows) = ("history", try GivenHistory.rows(request.history))
    case (true, false):
      do throws(JSONError) {
        (name, rows) = (
          "history_json",
          try AppleHistory(parsing: request.historyJSON, customer: customer, receivedAt: receivedAt).recording.rows
        )
      } catch {
        throw Status(.invalidArgument, "history_json: \(error)")
      }
    }
    self.customer = customer
    recordings = rows.map { Recording(customer: customer, rows: [$0], source: .serverAPI, receivedAt: receivedAt) }
    for (index, recording) in recordings.enumerated() {
      do throws(Refusal) { try recording.validate() } catch { throw error.status(ofElement: index, of: name) }
    }
  }

  private static func rows(_ transactions: [LatchkeyWire.Transaction]) throws(Status) -> [Recording.Row] {
    guard transactions.count <= AppleHistory.rowLimit else {
      throw Status(.invalidArgument, "history: at most \(AppleHistory.rowLimit) transactions, these are \(transactions.count)")
    }
    var rows: [Recording.Row] = []
    for (index, transaction) in transactions.enumerated() {
      try transaction.checkRawWords(named: "history[\(index)]")
      let bundle = transaction.bundleID.isEmpty ? nil : transaction.bundleID
      rows.append(Recording.Row(transaction: Entitlements.Transaction(transaction), bundleID: bundle))
    }
    return rows
  }
}

extension Refusal {
  /// The status that names the element of a history where a recording alone would be named.
  fileprivate func status(ofElement index: Int, of name: String) -> Status {
    let status = status
    let prefix = "transaction."
    guard status.message.hasPrefix(prefix) else { return status }
    return Status(status.code, "\(name)[\(index)].\(status.message.dropFirst(prefix.count))")
  }
}

// MARK: - Against what is held

extension GivenHistory {
  /// The ids of the transactions that the customer holds and the history doesn't list: reported, never deleted.
  func notListed(in store: EntitlementStore) -> [String] {
    store.read { ledger, _ in
      let listed = Set(
        recordings.flatMap(\.rows).map { row in
          ScopedID(row.transaction.environment ?? ledger.settings.environment, row.transaction.transactionID)
        })
      return ledger.inOrder(ledger.holdings(of: customer)).map { ledger.records[$0] }.filter { !listed.contains($0.key) }
        .map(\.transaction.transactionID.text)
    }
  }

  /// What recording the history does.
  struct Effect {
    /// How many of its transactions were new.
    var recorded: UInt64 = 0
    /// What customers gained and lost in all.
    var changes: [Storage.AccessChange] = []
  }

  /// Works out what recording the history would do, on a copy of what hangs together with it.
  ///
  /// - Returns: the effect, and the recordings that have one, on answers or not.
  /// - Throws: the status of a transaction that would be refused.
  func tryOut(on store: EntitlementStore, at moment: Moment) throws(Status) -> (effect: Effect, news: [Recording]) {
    let before = store.read { ledger, _ in ledger.component(around: recordings, of: customer) }
    var after = before
    var effect = Effect()
    var news: [Recording] = []
    var affected: Set<CustomerID> = []
    for (index, recording) in recordings.enumerated() {
      do throws(Refusal) {
        if try after.changes(by: recording) { news.append(recording) }
        let recorded = try after.record(recording)
        if recorded.isNews { effect.recorded += 1 }
        affected.formUnion(recorded.affected)
      } catch {
        throw error.status(ofElement: index, of: name)
      }
    }
    effect.changes = affected.sorted().flatMap { customer in
      Storage.AccessChange.between(before.access(of: customer), after.access(of: customer), of: customer, at: moment)
    }
    return (effect, news)
  }

  /// Records what is new, all at once, and waits until it is durable and visible.
  static func record(_ news: [Recording], in store: EntitlementStore) throws(Status) -> Effect {
    let answers = AwaitedValue([Result<Applied, StoreError>]())
    for recording in news {
      store.submit(.recording(recording)) { answer in answers.update { $0.append(answer) } }
    }
    var effect = Effect()
    for answer in answers.wait(for: { $0.count == news.count ? $0 : nil }) {
      do throws(StoreError) {
        let applied = try answer.get()
        if applied.recorded.isNews { effect.recorded += 1 }
        effect.add(applied.changes)
      } catch {
        throw error.status
      }
    }
    return effect
  }
}

extension GivenHistory.Effect {
  /// Adds what one recording changed. A change that takes back an earlier one leaves nothing of both.
  fileprivate mutating func add(_ changes: [Storage.AccessChange]) {
    for change in changes {
      let opposite = self.changes.firstIndex { $0.customer == change.customer && $0.entitlement == change.entitlement }
      if let opposite { self.changes.remove(at: opposite) } else { self.changes.append(change) }
    }
  }
}
