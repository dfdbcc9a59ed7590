import Entitlements
import Platform
import Synchronization

/// The number of each entitlement's name, so that a customer's entitlements are kept and compared as numbers.
///
/// Names are only added: there are as many as the catalogs ever named, and products that were seen.
package final class EntitlementNames: Sendable {
  private struct State {
    var numbers: [Identifier: UInt32] = [:]
    var names: [Identifier] = []
  }

  private let state = Guarded(State())
  private let nameCount = Atomic<UInt32>(0)

  package init() {}

  /// The number of a name, a new one if it has none.
  package func number(of name: Identifier) -> UInt32 { state.withLock { number(of: name, &$0) } }

  private func number(of name: Identifier, _ state: inout State) -> UInt32 {
    if let number = state.numbers[name] { return number }
    let number = UInt32(state.names.count)
    state.numbers[name] = number
    state.names.append(name)
    nameCount.store(number + 1, ordering: .releasing)
    return number
  }

  /// The numbers of some names in ascending order, new ones for those that have none.
  func numbers(of names: [Identifier]) -> [UInt32] {
    state.withLock { state in names.map { number(of: $0, &state) }.sorted() }
  }

  /// How many names have a number. A name that had none has none for as long as this stays the same.
  @inline(__always)
  var count: UInt32 { nameCount.load(ordering: .acquiring) }

  /// The number of a name, if some product ever granted it.
  package func knownNumber(of name: Identifier) -> UInt32? { state.withLock { $0.numbers[name] } }

  /// The name behind a number that `number(of:)` gave.
  package func name(of number: UInt32) -> Identifier { state.withLock { $0.names[Int(number)] } }
}
