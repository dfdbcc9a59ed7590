/// The random name of one store, which all its files carry, so that a file of another store is never taken for its own.
struct StoreIdentity: Equatable, Sendable {
  let high: UInt64
  let low: UInt64

  /// Makes the identity of a new store.
  static func random() -> StoreIdentity { StoreIdentity(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max)) }
}
