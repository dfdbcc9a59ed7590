/// The random name of one store, which all its files carry, so that a file of another store is never taken for its own.
struct StoreIdentity: Equatable, Sendable {
  let high: UInt64
  let low: UInt64

  /// Makes the identity of a new store.
  static func random(_ options: JournalOptions = JournalOptions()) -> StoreIdentity {
    StoreIdentity(high: options.randomNumber(), low: options.randomNumber())
  }
}
