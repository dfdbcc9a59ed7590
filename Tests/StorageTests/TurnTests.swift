import Entitlements
import Platform
import Testing

@testable import Storage

/// How a long work leaves room for others, by a clock of the test's own.
struct TurnTests {
  private static let customerCount = 200

  private func openStoreOfMany(_ directory: borrowing TemporaryDirectory) throws -> EntitlementStore {
    let store = try openStore(directory.store)
    for number in 1...TurnTests.customerCount {
      try store.record(lifetime(Identifier("\(number)")), as: Identifier("customer \(number)"))
    }
    return store
  }

  @Test("Progress comes by the clock: with each turn where turns take half a second, once where no time passes")
  func progress() throws {
    let directory = try TemporaryDirectory()
    let store = try openStoreOfMany(directory)
    var time: UInt64 = 0
    var steps: [Int] = []
    let slow = Turns(now: {
      time += 250_000_000
      return time
    })
    try store.rebuild(.everyone, isDryRun: true, turns: slow) { step in
      steps.append(step.customers)
      return true
    }
    // A slow clock ends each turn with the customer that it is at.
    #expect(Set(steps) == Set(1...TurnTests.customerCount))
    #expect(steps == steps.sorted())

    steps = []
    try store.rebuild(.everyone, isDryRun: true, turns: Turns(now: { 0 })) { step in
      steps.append(step.customers)
      return true
    }
    #expect(steps == [TurnTests.customerCount])
  }

  @Test("A rebuild that is given up ends with the turn that it is at", arguments: [1, 8, 12])
  func givenUp(afterTurns limit: Int) throws {
    let directory = try TemporaryDirectory()
    let store = try openStoreOfMany(directory)
    for number in 1...TurnTests.customerCount { store.spoil(Identifier("customer \(number)")) }
    var turns = 0
    var time: UInt64 = 0
    let turn = Turns(
      now: {
        time += 1_000_000
        return time
      },
      isGivenUp: {
        turns += 1
        return turns == limit
      })
    #expect(failure { try store.rebuild(.everyone, isDryRun: false, turns: turn) { _ in true } } == .givenUp)
    // By this clock each turn folds one customer.
    let corrected = (1...TurnTests.customerCount).filter { store.answer(Identifier("customer \($0)")).reason == .purchased }
    #expect(corrected.count == limit)
    #expect(turns == limit)
  }

  @Test("A check is answered while the ledger is held")
  func checks() throws {
    let directory = try TemporaryDirectory()
    let store = try openStoreOfMany(directory)
    store.holdingRecorder { #expect(store.answer("customer 7").reason == .purchased) }
  }
}

extension EntitlementStore {
  /// Takes a customer's answers away, as a bug would.
  fileprivate func spoil(_ customer: CustomerID) {
    state.withLock { state in cache.publish([.init(customer: customer, words: nil)], revision: state.revision) }
  }
}
