import Entitlements
import Synchronization

/// How the word of a bucket is divided.
private let countBits: UInt64 = 40
private let countMask: UInt64 = (1 << countBits) - 1

/// The counter of one customer's allowed checks of one entitlement: 8 bytes in the customer's block and, once checks came in several
/// hours, 24 apart from it.
///
/// Each of the four words is a bucket of `Usage`: the hour of its newest check (24 bits) above the number of its checks (40). A
/// check adds one to the newest bucket, which is its only write unless a new hour begins. What a word held moves on by a
/// compare-and-exchange of that word, so that whatever threads do at once, each count is in exactly one place, or in the hands of
/// one thread on its way there. The order of two buckets can suffer if two hours begin at once, no count can.
///
/// The pointers are to be followed only while the block's memory is kept: under the proof of `EntitlementCache`.
@unsafe struct UsageCounter {
  private let newest: UnsafeMutablePointer<Atomic<UInt64>>
  private let older: UnsafeMutablePointer<Atomic<UInt64>>?

  /// The bytes of the buckets behind the newest one.
  static let olderByteCount = 24

  @inline(__always)
  init(newest: UnsafeMutableRawPointer, older: UnsafeMutableRawPointer?) {
    unsafe self.newest = newest.assumingMemoryBound(to: Atomic<UInt64>.self)
    unsafe self.older = older.map { unsafe $0.assumingMemoryBound(to: Atomic<UInt64>.self) }
  }

  /// Counts one check in an hour since 1970, if the newest bucket is of this hour; returns whether it was.
  @inline(__always)
  func count(inHour hour: UInt64) -> Bool {
    guard unsafe newest.pointee.load(ordering: .relaxed) >> countBits == hour else { return false }
    // Forty bits of one hour are never full. A checked addition would be a loop.
    unsafe newest.pointee.wrappingAdd(1, ordering: .relaxed)
    return true
  }

  /// The bucket of one check in an hour.
  static func bucket(ofHour hour: UInt64) -> UInt64 { hour << countBits | 1 }

  /// The buckets of what was counted before.
  static func buckets(of usage: Usage) -> [UInt64] {
    usage.buckets.filter { $0.checks > 0 }.map { UInt64($0.newestHour) << countBits | UInt64($0.checks) & countMask }
  }

  /// Takes all buckets out.
  func takeBuckets() -> [UInt64] {
    unsafe words.compactMap { word in
      let bucket = unsafe word.pointee.exchange(0, ordering: .relaxed)
      return bucket == 0 ? nil : bucket
    }
  }

  /// Whether nothing was ever counted: what is counted is in the newest bucket until something newer is.
  var isUntouched: Bool { unsafe newest.pointee.load(ordering: .relaxed) == 0 }

  /// What was counted.
  var usage: Usage {
    let words = unsafe words
    return Usage(
      buckets: Usage.periods.indices.map { place in
        let word = unsafe place < words.count ? words[place].pointee.load(ordering: .relaxed) : 0
        return Usage.Bucket(newestHour: Int64(word >> countBits), checks: Int64(word & countMask))
      })
  }

  /// The words that there are now, the newest first.
  private var words: [UnsafeMutablePointer<Atomic<UInt64>>] {
    guard let older = unsafe older else { return unsafe [newest] }
    return unsafe [newest] + (0..<Usage.periods.count - 1).map { unsafe older + $0 }
  }

  /// Adds a bucket, which falls through the places until one keeps it; what it drives out falls on. Returns whether there are
  /// places enough; where there are none behind the newest, only a bucket is taken that drives none out.
  func add(_ bucket: UInt64) -> Bool {
    guard unsafe older != nil else { return unsafe join(bucket) }
    let words = unsafe words
    var falling = bucket
    for (place, period) in Usage.periods.enumerated() where falling != 0 {
      falling = unsafe UsageCounter.put(falling, into: words[place], period: period)
    }
    return true
  }

  /// Adds a bucket to the newest one, if that is empty or of the same hour.
  private func join(_ bucket: UInt64) -> Bool {
    var held = unsafe newest.pointee.load(ordering: .relaxed)
    while held == 0 || held >> countBits == bucket >> countBits {
      let joined = held == 0 ? bucket : held + (bucket & countMask)
      let (isDone, now) = unsafe newest.pointee.compareExchange(expected: held, desired: joined, ordering: .relaxed)
      if isDone { return true }
      held = now
    }
    return false
  }

  /// Puts a bucket into a place, and returns what has to go further: nothing where both are of one period, else the older one.
  private static func put(_ bucket: UInt64, into word: UnsafeMutablePointer<Atomic<UInt64>>, period: Int64?) -> UInt64 {
    var held = unsafe word.pointee.load(ordering: .relaxed)
    while true {
      let (hour, heldHour) = (bucket >> countBits, held >> countBits)
      let isOfSamePeriod = period.map { UInt64($0) }.map { hour / $0 == heldHour / $0 } ?? true
      let (kept, rest): (UInt64, UInt64)
      if held == 0 || isOfSamePeriod {
        (kept, rest) = (max(hour, heldHour) << countBits | (bucket & countMask) + (held & countMask), 0)
      } else if hour > heldHour {
        (kept, rest) = (bucket, held)
      } else {
        return bucket
      }
      let (isDone, now) = unsafe word.pointee.compareExchange(expected: held, desired: kept, ordering: .relaxed)
      if isDone { return rest }
      held = now
    }
  }
}
