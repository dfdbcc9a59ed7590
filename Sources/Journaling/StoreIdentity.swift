/// The random name of one store, which all its files carry, so that a file of another store is never taken for its own.
struct StoreIdentity: Equatable, Sendable {
  let high: UInt64
  let low: UInt64

  init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes the identity of a new store.
  init(options: JournalOptions) { self.init(high: options.randomNumber(), low: options.randomNumber()) }
}
