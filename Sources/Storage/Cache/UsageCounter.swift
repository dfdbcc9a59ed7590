import Entitlements
import Synchronization

/// How the word of a bucket is divided.
private let countBits: UInt64 = 40
private let countMask: UInt64 = (1 << countBits) - 1

/// The counter of one customer's allowed checks of one entitlement: 32 bytes in the customer's block, without a lock.
///
/// Each of the four words is a bucket of `Usage`: the hour of its newest check (24 bits) above the number of its checks (40). A
/// check adds one to the newest bucket, which is its only write unless a new hour begins. What a word held moves on by a
/// compare-and-exchange of that word, so that whatever threads do at once, each count is in exactly one place, or in the hands of
/// one thread on its way there. The order of two buckets can suffer if two hours begin at once, no count can.
///
/// The pointers are to be followed only while the block's memory is kept: under the proof of `EntitlementCache`.
@unsafe struct UsageCounter {
  private let newest: UnsafeMutablePointer<Atomic<UInt64>>
  private let older: UnsafeMutablePointer<Atomic<UInt64>>

  /// The bytes of the buckets behind the newest one.
  static let olderByteCount = 24

  @inline(__always)
  init(newest: UnsafeMutableRawPointer, older: UnsafeMutableRawPointer) {
    unsafe self.newest = newest.assumingMemoryBound(to: Atomic<UInt64>.self)
    unsafe self.older = older.assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Counts one check in an hour since 1970.
  @inline(__always)
  func count(inHour hour: UInt64) {
    if unsafe newest.pointee.load(ordering: .relaxed) >> countBits == hour {
      // Forty bits of one hour are never full. A checked addition would be a loop.
      unsafe newest.pointee.wrappingAdd(1, ordering: .relaxed)
    } else {
      unsafe add(hour << countBits | 1)
    }
  }

  /// Moves all that another counter holds into this one.
  func take(from other: UsageCounter) {
    for place in Usage.periods.indices {
      let bucket = unsafe other.word(place).pointee.exchange(0, ordering: .relaxed)
      if bucket != 0 { unsafe add(bucket) }
    }
  }

  /// Adds what was counted before.
  func add(_ usage: Usage) {
    for bucket in usage.buckets where bucket.checks > 0 {
      unsafe add(UInt64(bucket.newestHour) << countBits | UInt64(bucket.checks) & countMask)
    }
  }

  /// Whether nothing was ever counted: what is counted is in the newest bucket until something newer is.
  var isUntouched: Bool { unsafe newest.pointee.load(ordering: .relaxed) == 0 }

  /// What was counted.
  var usage: Usage {
    Usage(
      buckets: Usage.periods.indices.map { place in
        let word = unsafe word(place).pointee.load(ordering: .relaxed)
        return Usage.Bucket(
          newestHour: Int64(word >> countBits), checks: Int64(word & countMask))
      })
  }

  private func word(_ place: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { unsafe place == 0 ? newest : older + (place - 1) }

  /// Lets a bucket fall through the places until one keeps it; what it drives out falls on.
  @inline(never)
  private func add(_ bucket: UInt64) {
    var falling = bucket
    for (place, period) in Usage.periods.enumerated() where falling != 0 {
      falling = unsafe UsageCounter.put(falling, into: word(place), period: period)
    }
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
