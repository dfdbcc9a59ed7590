import Entitlements
import LatchkeyWire

/// One loop's reading of the cache: takes all checks of a turn, and answers them in passes, so that the misses of one lookup are
/// waited for together with those of the others.
///
/// Belongs to one thread. Answers a check without an allocation, a lock, or a string.
@safe package final class CheckReader {
  // Safe: the counters are followed only in the turn in which they were found.
  private let cache: EntitlementCache
  private let countsChecks: Bool
  private let epoch: ReaderEpochs.Reader
  private var names: NameCache
  private var checks: [Check] = []
  private var answers: [AccessBlock.Answer] = []
  /// Where the allowed answers about the present are counted.
  private var counters: [UsageCounter] = unsafe []

  private struct Check {
    var customer: Range<Int>
    var entitlement: Range<Int>
    var moment: Int64
    var hash: UInt64
  }

  /// - Parameter countsChecks: whether allowed checks are counted for the customer.
  package init(_ cache: EntitlementCache, countsChecks: Bool = true) {
    self.cache = cache
    self.countsChecks = countsChecks
    epoch = cache.makeReader()
    names = NameCache(cache.names)
    // More than fit into one read.
    checks.reserveCapacity(4_096)
    answers.reserveCapacity(4_096)
    unsafe counters.reserveCapacity(4_096)
  }

  deinit { cache.retire(epoch) }

  /// How many checks wait for `answer`.
  @inline(__always)
  package var count: Int { checks.count }

  /// Forgets what was taken and not answered.
  package func forget() { checks.removeAll(keepingCapacity: true) }

  /// The first pass: takes one more check, whose names stand in the input at these ranges.
  @inline(__always)
  package func add(customer: Range<Int>, entitlement: Range<Int>, at moment: Int64, in input: RawSpan) {
    let hash = unsafe input.extracting(customer).withUnsafeBytes { id in unsafe cache.prepare(id) }
    checks.append(Check(customer: customer, entitlement: entitlement, moment: moment, hash: hash))
  }

  /// The second and third pass: answers all checks taken, in their order, as of one state, and forgets them.
  ///
  /// Those about the present that are allowed are counted, in the turn, once each however often their passes run.
  ///
  /// - Parameters:
  ///   - now: the present, in milliseconds since 1970. A check of another moment is a question, and lets nobody in.
  ///   - body: is given each answer with its place in the order and the revision that the answers include.
  @inline(__always)
  package func answer(in input: RawSpan, now: Int64, _ body: (Int, AccessBlock.Answer, UInt64) -> Void) {
    guard !checks.isEmpty else { return }
    epoch.begin()
    var revision: UInt64 = 0
    cache.consistently {
      revision = cache.revision
      unsafe input.withUnsafeBytes { bytes in unsafe findAndAnswer(bytes, now: now) }
    }
    let hour = UInt64(max(now, 0) / 3_600_000)
    for index in unsafe counters.indices { unsafe counters[index].count(inHour: hour) }
    epoch.end()
    for index in answers.indices { body(index, answers[index], revision) }
    checks.removeAll(keepingCapacity: true)
    answers.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private func findAndAnswer(_ input: UnsafeRawBufferPointer, now: Int64) {
    answers.removeAll(keepingCapacity: true)
    unsafe counters.removeAll(keepingCapacity: true)
    unsafe withUnsafeTemporaryAllocation(of: FoundBlock.self, capacity: checks.count) { found in
      for index in checks.indices { unsafe found.initializeElement(at: index, to: cache.find(checks[index].hash)) }
      for index in checks.indices {
        let check = checks[index]
        let name = unsafe names.number(of: UnsafeRawBufferPointer(rebasing: input[check.entitlement]))
        let answer = unsafe cache.answer(
          found[index], id: UnsafeRawBufferPointer(rebasing: input[check.customer]), hash: check.hash, name: name,
          at: check.moment)
        unsafe answers.append(answer.answer)
        if countsChecks, let counter = unsafe answer.counter, check.moment == now { unsafe counters.append(counter) }
      }
    }
  }
}
