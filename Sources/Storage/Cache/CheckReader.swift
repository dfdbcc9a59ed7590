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
  /// The checks that were taken, in their order.
  package private(set) var checks: FixedList<Check>

  /// A check and, once it was looked for, its answer: one line of the processor's cache, or little more.
  @safe package struct Check: BitwiseCopyable {
    fileprivate var customerOffset: UInt32
    fileprivate var entitlementOffset: UInt32
    fileprivate var customerCount: UInt8
    fileprivate var entitlementCount: UInt8
    /// What the caller knows the check by.
    package var tag: UInt32
    fileprivate var moment: Int64
    fileprivate var hash: UInt64 = 0
    fileprivate var block: AccessBlock?
    /// Right once all checks were answered.
    package fileprivate(set) var answer = AccessBlock.Answer.notYet
    /// Where an allowed answer about the present is counted; below 0: nowhere.
    fileprivate var countedEntry: Int32 = -1
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

  /// Forgets all checks, answered or not.
  @inline(__always)
  package mutating func removeAll() { checks.removeAll() }

  /// Takes one more check, whose names stand in the input at these ranges and have at most
  /// `Identifier.byteLimit` bytes.
  @inline(__always)
  package mutating func add(tag: UInt32, customer: Range<Int>, entitlement: Range<Int>, at moment: Int64, in input: RawSpan) {
    unsafe checks.append(
      Check(
        customerOffset: UInt32(customer.lowerBound), entitlementOffset: UInt32(entitlement.lowerBound),
        customerCount: UInt8(customer.count), entitlementCount: UInt8(entitlement.count), tag: tag, moment: moment))
  }

  /// Answers all checks taken: of a recording that changes several customers they show all or nothing.
  ///
  /// What is recorded for one customer alone in the middle of the turn may show in some answers and not in others.
  ///
  /// Those about the present that are allowed are counted, in the turn, once each however often their passes run.
  ///
  /// - Parameters:
  ///   - input: the bytes that the checks were taken from.
  ///   - now: the present, in milliseconds since 1970. A check of another moment is a question, and lets nobody in.
  /// - Returns: the revision that the answers include.
  package mutating func answer(in input: RawSpan, now: Int64) -> UInt64 {
    unsafe input.withUnsafeBytes { bytes in unsafe prepare(bytes) }
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

  /// The second pass and the third, a few checks at a time, so that never more is asked of memory than the processor keeps track of.
  @inline(__always)
  private mutating func findAndAnswer(_ input: UnsafeRawBufferPointer, now: Int64) {
    find(0..<min(CheckReader.checksAtOnce, checks.count))
    for start in stride(from: 0, to: checks.count, by: CheckReader.checksAtOnce) {
      let end = min(start + CheckReader.checksAtOnce, checks.count)
      find(end..<min(end + CheckReader.checksAtOnce, checks.count))
      for index in start..<end { unsafe answer(index, input, now: now) }
    }
  }

  /// Some twenty lines of memory are on their way then.
  private static var checksAtOnce: Int { 8 }

  @inline(__always)
  private mutating func find(_ indices: Range<Int>) {
    for index in indices { unsafe checks[index].block = cache.find(checks[index].hash) }
  }

  /// The first pass: nothing but hashes, so that the processor works at several of them at once.
  @inline(__always)
  private mutating func prepare(_ input: UnsafeRawBufferPointer) {
    for index in checks.indices {
      let customer = unsafe CheckReader.bytes(input, checks[index].customerOffset, checks[index].customerCount)
      checks[index].hash = unsafe cache.prepare(customer)
    }
  }

  @inline(__always)
  private mutating func answer(_ index: Int, _ input: UnsafeRawBufferPointer, now: Int64) {
    let check = checks[index]
    let name = unsafe names.number(of: CheckReader.bytes(input, check.entitlementOffset, check.entitlementCount))
    let customer = unsafe CheckReader.bytes(input, check.customerOffset, check.customerCount)
    let found = unsafe cache.answer(check.block, id: customer, hash: check.hash, name: name, at: check.moment)
    unsafe checks[index].block = found.block
    checks[index].answer = unsafe found.answer
    checks[index].countedEntry = unsafe found.answer.allows && check.moment == now ? Int32(found.entry) : -1
  }

  @inline(__always)
  private static func bytes(_ input: UnsafeRawBufferPointer, _ offset: UInt32, _ count: UInt8) -> UnsafeRawBufferPointer {
    let (start, end) = (Int(offset), Int(offset) + Int(count))
    precondition(end <= input.count, "a check stands in the input")
    return unsafe UnsafeRawBufferPointer(start: input.baseAddress.map { unsafe $0 + start }, count: end - start)
  }

  @inline(__always)
  private func countAllowed(inHour hour: UInt64) {
    for index in checks.indices {
      guard checks[index].countedEntry >= 0, let block = unsafe checks[index].block else { continue }
      unsafe cache.count(inHour: hour, block, Int(checks[index].countedEntry))
    }
  }
}
