import Synchronization

// Where the counters of allowed checks stand.

extension AccessBlock {
  /// Where the newest counters stand.
  var newestCounters: Range<Int> {
    let begin = unsafe entries + entryCount * AccessBlock.entryByteCount
    return unsafe begin..<begin + entryCount * AccessBlock.entryByteCount
  }

  /// The counter of an entry as far as its newest bucket.
  @inline(__always)
  func newestCounter(ofEntry entry: Int) -> UsageCounter {
    let offset = unsafe entries &+ (entryCount &+ entry) &* AccessBlock.entryByteCount
    return unsafe UsageCounter(newest: base + offset, older: nil)
  }

  /// The counter of an entry, with the older buckets that there are now.
  func counter(ofEntry entry: Int) -> UsageCounter {
    let older = unsafe olderCounters.map { unsafe $0 + entry * UsageCounter.olderByteCount }
    return unsafe UsageCounter(newest: base + newestCounters.lowerBound + entry * 8, older: older)
  }

  /// Where the older buckets of all entries stand; nil where there are none yet.
  var olderCounters: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: UInt(header.pointee.load(ordering: .acquiring) >> AccessBlock.addressShift))
  }

  /// How many bytes the older buckets of all entries take.
  var olderByteCount: Int { unsafe entryCount * UsageCounter.olderByteCount }

  /// Says where the older buckets stand from now on. One thread at a time does so, and only once for a block.
  func setOlderCounters(_ older: UnsafeMutableRawPointer) {
    let address = UInt64(UInt(bitPattern: older))
    precondition(unsafe address >> (64 - AccessBlock.addressShift) == 0, "addresses of user space have 48 bits")
    unsafe header.pointee.store(headerWord | address << AccessBlock.addressShift, ordering: .releasing)
  }
}
