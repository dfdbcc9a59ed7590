import Entitlements

/// A digest of the state that doesn't depend on the order of what it holds.
struct StateDigest {
  private(set) var value: UInt64 = 0
  /// Not a secret: the digest tells damage, not malice.
  private static let hash = KeyedHash(key0: 0, key1: 0)

  init() {}

  init(of ledger: Ledger) {
    for entry in SnapshotEntries(of: ledger) { add(entry) }
  }

  /// Adds an entry. What is counted for it is no part of the state; nor is a record's number, which another start gives otherwise.
  mutating func add(_ entry: StoredEntry) {
    guard entry.usage == nil, entry.lateChecks == nil else { return }
    var entry = entry
    entry.recordNumberPlusOne = 0
    unsafe add(entry.encoded().span.bytes)
  }

  /// Adds an entry that is a part of the state by the bytes that it is written as, without a record's number.
  mutating func add(_ bytes: RawSpan) { value &+= unsafe bytes.withUnsafeBytes { unsafe StateDigest.hash.hash($0) } }
}
