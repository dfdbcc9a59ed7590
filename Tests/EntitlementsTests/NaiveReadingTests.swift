import Entitlements
import TestSupport
import Testing

/// The ledger against the page.
struct NaiveReadingTests {
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `the ledger answers as the page reads, of every customer, entitlement and moment`(seed: UInt64) throws {
    for number in 0..<12 {
      var history = RandomHistory(seed: 1_000_000 + seed * 100 + UInt64(number))
      var ledger = history.ledger()
      var accepted: [Recording] = []
      var words: [Granting] = []
      for _ in 0..<Int.random(in: 2...16, using: &history.random) {
        let recording = history.recording()
        if (try? ledger.record(recording)) != nil { accepted.append(recording) }
        guard history.random.oneIn(3) else { continue }
        let granting = history.granting()
        if (try? ledger.grant(granting)) != nil { words.append(granting) }
      }
      let reading = NaiveReading(of: accepted, words, held: ledger)
      for customer in RandomHistory.customers {
        for entitlement in RandomHistory.entitlements {
          for _ in 0..<20 {
            let moment = history.pick(RandomHistory.moments)
            #expect(
              ledger.decision(customer, entitlement, at: moment) == reading.decision(customer, entitlement, at: moment),
              "seed \(seed), history \(number): \(customer), \(entitlement), \(moment.iso8601)")
          }
        }
      }
    }
  }
}
