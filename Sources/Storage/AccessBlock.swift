import Entitlements

/// One customer's compiled answers as a block of bytes: made once, then only read, by any number of threads, but for the counters
/// of allowed checks, which any thread adds to.
///
///     0   UInt8    length of the customer id
///     4   UInt32   number of entries
///     8   UInt32   offset of the older counters
///     16  the id, padded to 8
///         entries, by name: UInt32 name number, UInt32 offset of its timeline
///         newest counters:  UInt64 for each entry, near what a check reads anyway
///         timelines:        UInt32 number of segments, UInt32 1 if ends follow
///                           UInt64 segments: from (48 bits) | ownership (8) | reason (8)
///                           Int64 ends, one for each segment, where some grant's end isn't the next segment's start
///         older counters:   3 UInt64 for each entry
///
/// Entitlements with the same timeline share it. What the counters hold: see `UsageCounter`.
///
/// The pointer is to be read only while its memory is kept: under the proof of `EntitlementCache`.
@unsafe package struct AccessBlock: BitwiseCopyable {
  let base: UnsafeMutableRawPointer

  /// The answer to a check.
  package struct Answer: Hashable, Sendable, BitwiseCopyable {
    package var reason: Reason
    package var ownership: UInt8
    /// Milliseconds since 1970, `Int64.max` if never. Only of an allowed answer.
    package var validUntil: Int64

    package static let unknownCustomer = Answer(reason: .unknownCustomer, ownership: 0, validUntil: 0)
    package static let neverOwned = Answer(reason: .neverOwned, ownership: 0, validUntil: 0)
  }

  static let headerByteCount = 16
  private static let entryByteCount = 8

  @inline(__always)
  private func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
    unsafe base.load(fromByteOffset: offset, as: type)
  }

  @inline(__always)
  package var idByteCount: Int { unsafe Int(load(0, as: UInt8.self)) }

  @inline(__always)
  package var entryCount: Int { unsafe Int(load(4, as: UInt32.self)) }

  /// The customer's id.
  package var id: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base + AccessBlock.headerByteCount, count: idByteCount)
  }

  @inline(__always)
  private var entries: Int { unsafe AccessBlock.headerByteCount + ((idByteCount + 7) & ~7) }

  /// Whether the block is of this customer.
  @inline(__always)
  package func isOf(_ id: UnsafeRawBufferPointer) -> Bool {
    guard unsafe idByteCount == id.count else { return false }
    return unsafe AccessBlock.equal(base + AccessBlock.headerByteCount, id)
  }

  /// The answer for an entitlement at a moment, in milliseconds since 1970; before that it is the one at 0.
  @inline(__always)
  package func answer(name: UInt32, at moment: Int64) -> Answer {
    guard let entry = unsafe entry(of: name) else { return .neverOwned }
    return unsafe answer(ofEntry: entry, at: moment)
  }

  /// The answer of an entry at a moment.
  @inline(__always)
  func answer(ofEntry entry: Int, at moment: Int64) -> Answer {
    unsafe answer(timeline: timelineOffset(ofEntry: entry), at: moment)
  }

  /// The place of an entitlement among the entries, if it has one.
  @inline(__always)
  func entry(of name: UInt32) -> Int? {
    let entries = unsafe entries
    var low = 0
    var high = unsafe entryCount
    while low < high {
      let middle = (low + high) >> 1
      let other = unsafe load(entries + middle * AccessBlock.entryByteCount, as: UInt32.self)
      if other == name { return middle }
      if other < name { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// The counter of an entry.
  @inline(__always)
  func counter(ofEntry entry: Int) -> UsageCounter {
    let newest = unsafe entries + (entryCount + entry) * AccessBlock.entryByteCount
    let older = unsafe Int(load(8, as: UInt32.self)) + entry * UsageCounter.olderByteCount
    return unsafe UsageCounter(newest: base + newest, older: base + older)
  }

  @inline(__always)
  private func answer(timeline: Int, at moment: Int64) -> Answer {
    let count = unsafe Int(load(timeline, as: UInt32.self))
    let segments = timeline + 8
    let moment = max(moment, 0)
    // The first segment of a timeline begins at 0, or before 1970 and so at 0 here.
    var low = 1
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      let from = unsafe Int64(load(segments + middle * 8, as: UInt64.self) >> 16)
      if from <= moment { low = middle + 1 } else { high = middle }
    }
    return unsafe answer(timeline: timeline, segment: low - 1, of: count)
  }

  @inline(__always)
  private func answer(timeline: Int, segment: Int, of count: Int) -> Answer {
    let segments = timeline + 8
    let word = unsafe load(segments + segment * 8, as: UInt64.self)
    guard let reason = Reason(rawValue: UInt8(truncatingIfNeeded: word)) else { return .neverOwned }
    guard reason.allows else { return Answer(reason: reason, ownership: 0, validUntil: 0) }
    let until: Int64
    if unsafe load(timeline + 4, as: UInt32.self) == 1 {
      until = unsafe load(segments + (count + segment) * 8, as: Int64.self)
    } else if segment + 1 < count {
      until = unsafe Int64(load(segments + (segment + 1) * 8, as: UInt64.self) >> 16)
    } else {
      until = .max
    }
    return Answer(reason: reason, ownership: UInt8(truncatingIfNeeded: word >> 8), validUntil: until)
  }
}

// MARK: - Walking the block

extension AccessBlock {
  func name(ofEntry index: Int) -> UInt32 { unsafe load(entries + index * AccessBlock.entryByteCount, as: UInt32.self) }

  @inline(__always)
  func timelineOffset(ofEntry index: Int) -> Int {
    unsafe Int(load(entries + index * AccessBlock.entryByteCount + 4, as: UInt32.self))
  }

  func segmentCount(ofTimeline timeline: Int) -> Int { unsafe Int(load(timeline, as: UInt32.self)) }

  func from(ofSegment segment: Int, ofTimeline timeline: Int) -> Int64 {
    unsafe Int64(load(timeline + 8 + segment * 8, as: UInt64.self) >> 16)
  }

  /// How many bytes the block has.
  var byteCount: Int { unsafe Int(load(8, as: UInt32.self)) + entryCount * UsageCounter.olderByteCount }

  /// Where the newest counters stand.
  var newestCounters: Range<Int> {
    let begin = unsafe entries + entryCount * AccessBlock.entryByteCount
    return unsafe begin..<begin + entryCount * AccessBlock.entryByteCount
  }

  /// Where the older counters stand.
  var olderCounters: Range<Int> { unsafe Int(load(8, as: UInt32.self))..<byteCount }
}

extension AccessBlock {
  /// Whether the bytes behind a pointer are these: by words, then by bytes.
  @inline(__always)
  static func equal(_ pointer: UnsafeMutableRawPointer, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 8 <= bytes.count {
      let mine = unsafe pointer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if unsafe mine != bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset += 8
    }
    while offset < bytes.count {
      if unsafe pointer.load(fromByteOffset: offset, as: UInt8.self) != bytes[offset] { return false }
      offset += 1
    }
    return true
  }
}
