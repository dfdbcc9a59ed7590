import Entitlements
import LatchkeyWire
import Platform

/// One loop's reading of the cache: takes all checks of a turn, and answers them in passes, so that the misses of one lookup are
/// waited for together with those of the others.
///
/// Belongs to one thread. Answers a check without an allocation, a lock, or a string.
@safe package struct CheckReader: ~Copyable {
  // Safe: blocks and counters are followed only in the turn in which they were found.
  private let cache: EntitlementCache
  private let countsChecks: Bool
  private let epoch: ReaderEpochs.Reader
  private var names: NameCache
  private var checks: FixedList<Check>

  /// A check and, once it was looked for, its answer: one line of the processor's cache.
  @safe private struct Check: BitwiseCopyable {
    var customerOffset: UInt32
    var entitlementOffset: UInt32
    var customerCount: UInt8
    var entitlementCount: UInt8
    /// What the caller knows the check by.
    var tag: UInt32
    var moment: Int64
    var hash: UInt64
    var block: AccessBlock?
    var answer = AccessBlock.Answer.unknownCustomer
    /// Where an allowed answer about the present is counted; below 0: nowhere.
    var countedEntry: Int32 = -1
  }

  /// - Parameters:
  ///   - countsChecks: whether allowed checks are counted for the customer.
  ///   - capacity: how many checks a turn has at most.
  package init(_ cache: EntitlementCache, countsChecks: Bool = true, capacity: Int = CheckReader.checksInTurn) {
    self.cache = cache
    self.countsChecks = countsChecks
    epoch = cache.makeReader()
    names = NameCache(cache.names)
    checks = FixedList(capacity: capacity)
  }

  deinit { cache.retire(epoch) }

  /// More checks than a turn of the server, or a batch, can have.
  package static let checksInTurn = 4_096

  /// How many checks were taken.
  @inline(__always)
  package var count: Int { checks.count }

  /// Forgets all checks, answered or not.
  @inline(__always)
  package mutating func removeAll() { checks.removeAll() }

  /// The first pass: takes one more check, whose names stand in the input at these ranges and have at most
  /// `Identifier.byteLimit` bytes.
  @inline(__always)
  package mutating func add(tag: UInt32, customer: Range<Int>, entitlement: Range<Int>, at moment: Int64, in input: RawSpan) {
    let hash = unsafe input.extracting(customer).withUnsafeBytes { id in unsafe cache.prepare(id) }
    unsafe checks.append(
      Check(
        customerOffset: UInt32(customer.lowerBound), entitlementOffset: UInt32(entitlement.lowerBound),
        customerCount: UInt8(customer.count), entitlementCount: UInt8(entitlement.count), tag: tag, moment: moment, hash: hash))
  }

  /// The tag of a check, by its place in the order in which they were taken.
  @inline(__always)
  package func tag(of index: Int) -> UInt32 { checks[index].tag }

  /// The answer to a check, once they were answered.
  @inline(__always)
  package func answer(of index: Int) -> AccessBlock.Answer { checks[index].answer }

  /// The second and third pass: answers all checks taken, as of one state.
  ///
  /// Those about the present that are allowed are counted, in the turn, once each however often their passes run.
  ///
  /// - Parameters:
  ///   - input: the bytes that the checks were taken from.
  ///   - now: the present, in milliseconds since 1970. A check of another moment is a question, and lets nobody in.
  /// - Returns: the revision that the answers include.
  package mutating func answer(in input: RawSpan, now: Int64) -> UInt64 {
    epoch.begin()
    var revision: UInt64 = 0
    let cache = cache
    cache.consistently {
      revision = cache.revision
      unsafe input.withUnsafeBytes { bytes in unsafe findAndAnswer(bytes, now: now) }
    }
    if countsChecks { countAllowed(inHour: UInt64(max(now, 0) / 3_600_000)) }
    epoch.end()
    return revision
  }

  @inline(__always)
  private mutating func findAndAnswer(_ input: UnsafeRawBufferPointer, now: Int64) {
    for index in checks.indices { unsafe checks[index].block = cache.find(checks[index].hash) }
    for index in checks.indices {
      let check = checks[index]
      let name = unsafe names.number(of: CheckReader.bytes(input, check.entitlementOffset, check.entitlementCount))
      let customer = unsafe CheckReader.bytes(input, check.customerOffset, check.customerCount)
      let found = unsafe cache.answer(check.block, id: customer, hash: check.hash, name: name, at: check.moment)
      unsafe checks[index].block = found.block
      unsafe checks[index].answer = found.answer
      unsafe checks[index].countedEntry = found.answer.reason.allows && check.moment == now ? Int32(found.entry) : -1
    }
  }

  @inline(__always)
  private static func bytes(_ input: UnsafeRawBufferPointer, _ offset: UInt32, _ count: UInt8) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: input[Int(offset)..<Int(offset) + Int(count)])
  }

  @inline(__always)
  private func countAllowed(inHour hour: UInt64) {
    for index in checks.indices {
      guard checks[index].countedEntry >= 0, let block = unsafe checks[index].block else { continue }
      unsafe block.counter(ofEntry: Int(checks[index].countedEntry)).count(inHour: hour)
    }
  }
}
