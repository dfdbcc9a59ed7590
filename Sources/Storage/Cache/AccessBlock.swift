import Entitlements

/// One customer's compiled answers as a block of bytes: made once, then only read, by any number of threads, but for the counters
/// of allowed checks, which any thread adds to.
///
///     0   UInt64   offset of the older counters (32 bits) | number of entries (24) | length of the customer id (8)
///     8   the id, padded to 8
///         entries, by name: UInt32 name number, UInt32 offset of its timeline
///         newest counters:  UInt64 for each entry, near what a check reads anyway
///         timelines:        UInt32 number of segments, UInt32 1 if ends follow
///                           UInt64 segments: from (48 bits) | allows (1) | ownership (7) | reason (8)
///                           Int64 ends, one for each segment, where some grant's end isn't the next segment's start
///         older counters:   3 UInt64 for each entry
///
/// Entitlements with the same timeline share it. What the counters hold: see `UsageCounter`.
///
/// The pointer is to be read only while its memory is kept: under the proof of `EntitlementCache`. Offsets are counted without checks for
/// overflow: a block's fit into 32 bits.
@unsafe package struct AccessBlock: BitwiseCopyable {
  let base: UnsafeMutableRawPointer

  /// The answer to a check.
  package struct Answer: Hashable, Sendable, BitwiseCopyable {
    /// The raw value of the reason, as it stands in a block.
    package let reasonCode: UInt8
    package let allows: Bool
    package let ownership: UInt8
    /// Milliseconds since 1970, `Int64.max` if never. Only of an allowed answer.
    package let validUntil: Int64

    package init(reason: Reason, ownership: UInt8, validUntil: Int64) {
      self.init(code: reason.rawValue, allows: reason.allows, ownership: ownership, validUntil: validUntil)
    }

    @inline(__always)
    init(code: UInt8, allows: Bool, ownership: UInt8, validUntil: Int64) {
      (reasonCode, self.allows) = (code, allows)
      (self.ownership, self.validUntil) = (ownership, validUntil)
    }

    /// Why it is allowed or not.
    package var reason: Reason {
      guard let reason = Reason(rawValue: reasonCode) else { preconditionFailure("a block holds reasons only") }
      return reason
    }

    package static var unknownCustomer: Answer { Answer(reason: .unknownCustomer, ownership: 0, validUntil: 0) }
    package static var neverOwned: Answer { Answer(reason: .neverOwned, ownership: 0, validUntil: 0) }
  }

  static let headerByteCount = 8
  /// Of a segment.
  static let allowsBit: UInt64 = 1 << 15
  /// The most entries of a block: more than a catalog of the greatest size has entitlements.
  static let entryLimit = 1 << 24
  private static let entryByteCount = 8

  @inline(__always)
  private func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
    unsafe base.load(fromByteOffset: offset, as: type)
  }

  @inline(__always)
  private var header: UInt64 { unsafe load(0, as: UInt64.self) }

  @inline(__always)
  package var idByteCount: Int { unsafe Int(truncatingIfNeeded: header & 0xFF) }

  @inline(__always)
  package var entryCount: Int { unsafe Int(truncatingIfNeeded: (header >> 8) & 0xFF_FFFF) }

  @inline(__always)
  private var olderOffset: Int { unsafe Int(truncatingIfNeeded: header >> 32) }

  /// The customer's id.
  package var id: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: base + AccessBlock.headerByteCount, count: idByteCount)
  }

  @inline(__always)
  private var entries: Int { unsafe AccessBlock.headerByteCount &+ ((idByteCount &+ 7) & ~7) }

  /// Whether the block is of this customer.
  @inline(__always)
  package func isOf(_ id: UnsafeRawBufferPointer) -> Bool {
    guard unsafe idByteCount == id.count, let bytes = id.baseAddress else { return false }
    return unsafe UnsafeRawPointer(base + AccessBlock.headerByteCount).hasSameBytes(as: bytes, count: id.count)
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
      let middle = (low &+ high) &>> 1
      let other = unsafe load(entries &+ middle &* AccessBlock.entryByteCount, as: UInt32.self)
      if other == name { return middle }
      if other < name { low = middle &+ 1 } else { high = middle }
    }
    return nil
  }

  /// The counter of an entry.
  @inline(__always)
  func counter(ofEntry entry: Int) -> UsageCounter {
    let newest = unsafe entries + (entryCount + entry) * AccessBlock.entryByteCount
    let older = unsafe olderOffset + entry * UsageCounter.olderByteCount
    return unsafe UsageCounter(newest: base + newest, older: base + older)
  }

  @inline(__always)
  private func answer(timeline: Int, at moment: Int64) -> Answer {
    let count = unsafe Int(load(timeline, as: UInt32.self))
    let segments = timeline &+ 8
    let moment = max(moment, 0)
    // The first segment of a timeline begins at 0, or before 1970 and so at 0 here.
    var low = 1
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      let from = unsafe Int64(load(segments &+ middle &* 8, as: UInt64.self) &>> 16)
      if from <= moment { low = middle &+ 1 } else { high = middle }
    }
    return unsafe answer(timeline: timeline, segment: low &- 1, of: count)
  }

  @inline(__always)
  private func answer(timeline: Int, segment: Int, of count: Int) -> Answer {
    let segments = timeline &+ 8
    let word = unsafe load(segments &+ segment &* 8, as: UInt64.self)
    let code = UInt8(truncatingIfNeeded: word)
    guard unsafe word & AccessBlock.allowsBit != 0 else { return Answer(code: code, allows: false, ownership: 0, validUntil: 0) }
    let until: Int64
    if unsafe load(timeline + 4, as: UInt32.self) == 1 {
      until = unsafe load(segments &+ (count &+ segment) &* 8, as: Int64.self)
    } else if segment &+ 1 < count {
      until = unsafe Int64(load(segments &+ (segment &+ 1) &* 8, as: UInt64.self) &>> 16)
    } else {
      until = .max
    }
    return Answer(code: code, allows: true, ownership: UInt8(truncatingIfNeeded: word >> 8) & 0x7F, validUntil: until)
  }
}

// MARK: - Walking the block

extension AccessBlock {
  func name(ofEntry index: Int) -> UInt32 { unsafe load(entries + index * AccessBlock.entryByteCount, as: UInt32.self) }

  @inline(__always)
  func timelineOffset(ofEntry index: Int) -> Int {
    unsafe Int(load(entries &+ index &* AccessBlock.entryByteCount &+ 4, as: UInt32.self))
  }

  func segmentCount(ofTimeline timeline: Int) -> Int { unsafe Int(load(timeline, as: UInt32.self)) }

  func from(ofSegment segment: Int, ofTimeline timeline: Int) -> Int64 {
    unsafe Int64(load(timeline + 8 + segment * 8, as: UInt64.self) >> 16)
  }

  /// How many bytes the block has.
  var byteCount: Int { unsafe olderOffset + entryCount * UsageCounter.olderByteCount }

  /// Where the newest counters stand.
  var newestCounters: Range<Int> {
    let begin = unsafe entries + entryCount * AccessBlock.entryByteCount
    return unsafe begin..<begin + entryCount * AccessBlock.entryByteCount
  }

  /// Where the older counters stand.
  var olderCounters: Range<Int> { unsafe olderOffset..<byteCount }
}
