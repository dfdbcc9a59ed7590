import Entitlements
import TestSupport
import Testing

/// Which of two snapshots of one transaction is the newest.
struct VersionOrderTests {
  /// Each is newer than all before it.
  static let rising: [Transaction] = [
    lifetime("1") { $0.signedDate = Moment(milliseconds: 0) },
    lifetime("1") { ($0.signedDate, $0.currency) = (day(1), "EUR") },
    lifetime("1") { ($0.signedDate, $0.currency) = (day(1), "USD") },
    lifetime("1") { ($0.signedDate, $0.expiresDate) = (day(1), day(2)) },
    lifetime("1") { ($0.signedDate, $0.expiresDate) = (day(1), day(3)) },
    lifetime("1") { ($0.signedDate, $0.isUpgraded) = (day(1), true) },
    lifetime("1") { ($0.signedDate, $0.isUpgraded, $0.expiresDate) = (day(1), true, day(2)) },
    lifetime("1") { ($0.signedDate, $0.revocationDate) = (day(1), day(9)) },
    lifetime("1") { ($0.signedDate, $0.revocationDate, $0.expiresDate) = (day(1), day(9), day(1)) },
    lifetime("1") { ($0.signedDate, $0.revocationDate, $0.isUpgraded) = (day(1), day(9), true) },
    lifetime("1") { ($0.signedDate, $0.revocationDate) = (day(1), day(8)) },
    lifetime("1") { $0.signedDate = day(1, plus: 1) },
  ]

  @Test(arguments: rising.indices)
  func `the greatest signed date wins, then the earlier revocation, the upgraded, the later expiry, the bytes`(place: Int) {
    for other in VersionOrderTests.rising.indices {
      let expected: VersionOrder = place == other ? .same : place > other ? .newer : .older
      #expect(VersionOrderTests.rising[place].order(over: VersionOrderTests.rising[other]) == expected)
    }
  }

  @Test(arguments: 0..<40)
  func `the newest version stays, whatever order they arrive in`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var ledger = Ledger.sample()
    for version in VersionOrderTests.rising.shuffled(using: &random) { try ledger.record(version, as: "ana") }
    var newest = try #require(VersionOrderTests.rising.last)
    newest.environment = .production
    #expect(ledger.records.map(\.transaction) == [newest])
  }

  @Test func `versions that differ in no field but bytes that look alike are still ordered by them`() {
    let composed = lifetime("1") { $0.appAccountToken = "\u{e9}" }
    let decomposed = lifetime("1") { $0.appAccountToken = "e\u{301}" }
    #expect(composed.order(over: decomposed) != .same)
    #expect(composed.order(over: decomposed) != decomposed.order(over: composed))
  }

  @Test func `a field that contains a separator isn't taken for two`() {
    let one = lifetime("1") { ($0.currency, $0.appTransactionID) = ("A\u{0}+B", "C") }
    let other = lifetime("1") { ($0.currency, $0.appTransactionID) = ("A", "B\u{0}+C") }
    #expect(one.order(over: other) != .same)
    #expect(one.order(over: other) != other.order(over: one))
  }
}
