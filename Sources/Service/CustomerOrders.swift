import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Storage

// EraseCustomer and MoveCustomer: what an operator orders about a customer, journaled as recordings are.

extension EntitlementService {
  /// Forgets a customer, and says what of them stays for others' sake, and when they are gone from the disk.
  func eraseCustomer(_ call: Call) {
    guard let request = call.request(EraseCustomerRequest.self) else { return }
    submit(.erasure(Erasure(customer: Identifier(request.customerID), order: order(request.by, request.note))), for: call) {
      EraseCustomerResponse($0, from: self.store)
    }
  }

  /// Gives all that one customer holds to another.
  func moveCustomer(_ call: Call) {
    guard let request = call.request(MoveCustomerRequest.self) else { return }
    let move = CustomerMove(
      from: Identifier(request.fromCustomerID), to: Identifier(request.toCustomerID), order: order(request.by, request.note))
    submit(.move(move), for: call) { MoveCustomerResponse($0) }
  }

  private func order(_ by: String, _ note: String) -> OperatorOrder {
    OperatorOrder(by: by, note: note, at: Moment(milliseconds: Clock.wallMilliseconds()))
  }

  private func submit<Answer: Message>(
    _ input: Input, for call: Call, _ answer: @escaping @Sendable (Applied) -> Answer
  ) {
    store.submit(input, deadline: call.deadline) { result in
      switch result {
      case .success(let applied): call.finish(answer(applied))
      case .failure(let error): call.fail(error.status)
      }
    }
  }
}

extension EraseCustomerResponse {
  fileprivate init(_ applied: Applied, from store: EntitlementStore) {
    self.init()
    revision = applied.revision
    changes = applied.changes.map { LatchkeyWire.AccessChange($0) }
    goneWithSnapshots = UInt32(EntitlementStore.snapshotsUntilGone)
    keptJournalDays = UInt32(store.keptJournalDays)
    erasures = UInt64(store.read { ledger, _ in ledger.tombstones.count })
    guard case .erased(let tombstone) = applied.recorded.counts else { return }
    erasedAtMilliseconds = tombstone.erasedAt.milliseconds
    transactionsRemoved = UInt64(tombstone.removed)
    transactionsAnonymous = UInt64(tombstone.anonymous)
    transactionsKept = UInt64(tombstone.kept)
  }
}

extension MoveCustomerResponse {
  fileprivate init(_ applied: Applied) {
    self.init()
    revision = applied.revision
    changes = applied.changes.map { LatchkeyWire.AccessChange($0) }
    if case .moved(let count) = applied.recorded.counts { transactions = UInt64(count) }
  }
}
