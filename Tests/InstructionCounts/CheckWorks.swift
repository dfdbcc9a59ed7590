import Entitlements
import LatchkeyWire
import Platform
import Storage

/// The parts of a check: its parsing, the lookup, and the answer's bytes.
enum CheckWorks {
  /// As many checks as a busy connection has in flight.
  static let checksInRead = 64
  private static let customerCount = 10_000
  /// The moment of all checks: 2026-01-15.
  static let now: Int64 = 1_768_435_200_000

  /// Parses checks as they come.
  static func parse(times: Int, named: Bool) throws -> Int {
    try CheckReads(ofChecks: checksInRead, customers: customerCount, named: named).parse(times: times)
  }

  /// Looks checks up in a cache of 10,000 customers.
  static func lookUp(times: Int) throws -> Int {
    let reads = try CheckReads(ofChecks: checksInRead, customers: customerCount)
    let cache = filledCache()
    var reader = CheckReader(cache)
    var sum = 0
    for index in 0..<times / checksInRead { sum &+= lookUp(reads.reads[index % reads.reads.count], &reader) }
    return sum
  }

  private static func lookUp(_ read: CheckReads.Read, _ reader: inout CheckReader) -> Int {
    let input = unsafe read.bytes.span.bytes
    for name in read.names { reader.add(tag: 1, customer: name.customer, entitlement: name.entitlement, at: now, in: input) }
    _ = reader.answer(in: input, now: now)
    var sum = 0
    for index in reader.checks.indices { sum &+= reader.checks[index].answer.allows ? 1 : 0 }
    reader.removeAll()
    return sum
  }

  /// Everyone has `pro`, until some moment around now.
  private static func filledCache() -> EntitlementCache {
    let cache = EntitlementCache(hash: KeyedHash(key0: 1, key1: 2))
    for number in 0..<customerCount {
      let customer = CustomerID(CheckReads.customer(number))
      let end = Moment(milliseconds: now + Int64(number % 30 - 3) * 86_400_000)
      var timeline = Timeline()
      timeline.append(Decision(reason: .purchased, validUntil: end, ownership: .purchased), from: .distantPast)
      timeline.append(.denied(.expired), from: end)
      let words = AccessBlockWriter.words(of: CustomerAccess(["pro": timeline]), customer: customer, names: cache.names)
      cache.publish([EntitlementCache.Change(customer: customer, words: words)], revision: UInt64(number + 1))
    }
    return cache
  }

  /// Writes answers into the output of a turn, three in four of them allowed.
  static func encode(times: Int) -> Int {
    let answers = (0..<checksInRead).map { number in
      number % 4 == 3
        ? CheckAccessAnswer(allowed: false, reason: .expired, revision: 123_456)
        : CheckAccessAnswer(
          allowed: true, reason: .purchased, validUntilMilliseconds: now + Int64(number), ownership: .purchased,
          revision: 123_456)
    }
    var output = ByteQueue()
    var sum = 0
    for _ in 0..<times / checksInRead {
      output.write(atMost: answers.count * CheckAccessAnswer.maximumFrameBytes) { span in
        for index in answers.indices { _ = answers[index].writeFrame(streamID: UInt32(2 * index + 1), to: &span) }
      }
      sum &+= output.count
      output.removeAll()
    }
    return sum
  }
}
