import Entitlements
import Synchronization

/// One customer's compiled answers as a block of bytes: made once, then only read, by any number of threads, but for the counters
/// of allowed checks, which any thread adds to.
///
///     0   UInt64   number of bytes of the id, more than any has for a UUID (8) | number of entries (8) |
///                  address of the older counters (48), 0 where there are none yet
///     8   the id: the digits of a UUID in pairs (`UUIDBits.digitPairs`), or its bytes, padded to 8
///         UInt64   number of entries, only where they are 255 or more
///         entries, by name: UInt32 name number, UInt32 offset of its timeline
///         newest counters:  UInt64 for each entry, near what a check reads anyway
///         timelines:        UInt64 segments: from (48) | allows (1) | ends follow (1) | ownership (6) | reason (8);
///                           the first one begins before all moments, and has the number of segments in the place of `from`
///                           Int64 ends, one for each segment, where some grant's end isn't the next segment's start
///
/// So most customers' blocks take one line of the processor's cache. Entitlements with the same timeline share it. What the counters
/// hold, see `UsageCounter`; the older ones come to be when the first bucket moves on to them.
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

    /// What stands in the place of an answer until there is one.
    static var notYet: Answer { Answer(code: 0, allows: false, ownership: 0, validUntil: 0) }
    package static var unknownCustomer: Answer { Answer(reason: .unknownCustomer, ownership: 0, validUntil: 0) }
    package static var neverOwned: Answer { Answer(reason: .neverOwned, ownership: 0, validUntil: 0) }
  }

  static let headerByteCount = 8
  /// The form of a UUID in lower letters, or without letters; the next one is that of upper letters. No id has so many bytes.
  private static let lowerUUID: UInt8 = 0xFE
  /// From so many entries on their number stands behind the id.
  static let countedApart = 255
  static let addressShift: UInt64 = 16
  /// Of a segment.
  static let allowsBit: UInt64 = 1 << 15
  /// Of the first segment of a timeline: that ends follow.
  static let endsBit: UInt64 = 1 << 14
  /// The most entries of a block: more than a catalog of the greatest size has entitlements.
  static let entryLimit = 1 << 24
  static let entryByteCount = 8

  @inline(__always)
  private func load<Value: BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
    unsafe base.load(fromByteOffset: offset, as: type)
  }

  @inline(__always)
  var header: UnsafeMutablePointer<Atomic<UInt64>> { unsafe base.assumingMemoryBound(to: Atomic<UInt64>.self) }

  /// The header as it is now.
  @inline(__always)
  var headerWord: UInt64 { unsafe header.pointee.load(ordering: .relaxed) }

  /// What of the header stays as it was made.
  var lastingHeader: UInt64 { unsafe headerWord & (1 << AccessBlock.addressShift - 1) }

  @inline(__always)
  private var form: UInt8 { unsafe UInt8(truncatingIfNeeded: headerWord) }

  @inline(__always)
  private var idEnd: Int {
    unsafe AccessBlock.headerByteCount &+ (form >= AccessBlock.lowerUUID ? 16 : (Int(form) &+ 7) & ~7)
  }

  @inline(__always)
  package var entryCount: Int {
    let count = unsafe Int(truncatingIfNeeded: headerWord &>> 8 & 0xFF)
    return unsafe count < AccessBlock.countedApart ? count : Int(load(idEnd, as: UInt64.self))
  }

  @inline(__always)
  var entries: Int { unsafe entryCount < AccessBlock.countedApart ? idEnd : idEnd &+ 8 }

  /// Whether the block is of this customer.
  @inline(__always)
  package func isOf(_ id: UnsafeRawBufferPointer) -> Bool {
    guard let bytes = id.baseAddress else { return false }
    let kept = unsafe UnsafeRawPointer(base + AccessBlock.headerByteCount)
    if unsafe Int(form) == id.count { return unsafe kept.hasSameBytes(as: bytes, count: id.count) }
    guard unsafe form >= AccessBlock.lowerUUID else { return false }
    // Bytes may always be read as UInt8.
    return unsafe UUIDBits.isSaid(by: id.assumingMemoryBound(to: UInt8.self).span, digitPairs, in: letters)
  }

  /// The customer.
  package var customer: CustomerID {
    if unsafe form >= AccessBlock.lowerUUID { return unsafe CustomerID(UUIDBits(digitPairs: digitPairs), in: letters) }
    let bytes = unsafe UnsafeRawBufferPointer(start: base + AccessBlock.headerByteCount, count: Int(form))
    return unsafe CustomerID(String(decoding: bytes, as: UTF8.self))
  }

  /// Gives the bytes of the customer's id.
  func withID<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe customer.withBytes { bytes in unsafe bytes.bytes.withUnsafeBytes(body) }
  }

  /// Of a block whose id is a UUID.
  @inline(__always)
  private var digitPairs: (UInt64, UInt64) {
    let words = unsafe UnsafeRawPointer(base + AccessBlock.headerByteCount)
    return unsafe (words.word(at: 0), words.word(at: 8))
  }

  @inline(__always)
  private var letters: LetterCase { unsafe form == AccessBlock.lowerUUID ? .lower : .upper }

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

  @inline(__always)
  private func answer(timeline: Int, at moment: Int64) -> Answer {
    let count = unsafe segmentCount(ofTimeline: timeline)
    let moment = max(moment, 0)
    var low = 1
    var high = count
    while low < high {
      let middle = (low &+ high) &>> 1
      let from = unsafe Int64(load(timeline &+ middle &* 8, as: UInt64.self) &>> 16)
      if from <= moment { low = middle &+ 1 } else { high = middle }
    }
    return unsafe answer(timeline: timeline, segment: low &- 1, of: count)
  }

  @inline(__always)
  private func answer(timeline: Int, segment: Int, of count: Int) -> Answer {
    let word = unsafe load(timeline &+ segment &* 8, as: UInt64.self)
    let code = UInt8(truncatingIfNeeded: word)
    guard unsafe word & AccessBlock.allowsBit != 0 else { return Answer(code: code, allows: false, ownership: 0, validUntil: 0) }
    let until: Int64
    if unsafe hasEnds(timeline) {
      until = unsafe load(timeline &+ (count &+ segment) &* 8, as: Int64.self)
    } else if segment &+ 1 < count {
      until = unsafe Int64(load(timeline &+ (segment &+ 1) &* 8, as: UInt64.self) &>> 16)
    } else {
      until = .max
    }
    return Answer(code: code, allows: true, ownership: UInt8(truncatingIfNeeded: word >> 8) & 0x3F, validUntil: until)
  }
}

// MARK: - Walking the block

extension AccessBlock {
  func name(ofEntry index: Int) -> UInt32 { unsafe load(entries + index * AccessBlock.entryByteCount, as: UInt32.self) }

  @inline(__always)
  func timelineOffset(ofEntry index: Int) -> Int {
    unsafe Int(load(entries &+ index &* AccessBlock.entryByteCount &+ 4, as: UInt32.self))
  }

  @inline(__always)
  func segmentCount(ofTimeline timeline: Int) -> Int { unsafe Int(load(timeline, as: UInt64.self) &>> 16) }

  @inline(__always)
  private func hasEnds(_ timeline: Int) -> Bool { unsafe load(timeline, as: UInt64.self) & AccessBlock.endsBit != 0 }

  /// When a segment begins; the first one at 0.
  func from(ofSegment segment: Int, ofTimeline timeline: Int) -> Int64 {
    segment == 0 ? 0 : unsafe Int64(load(timeline + segment * 8, as: UInt64.self) >> 16)
  }

  /// How many bytes the block has, its older counters aside.
  var byteCount: Int {
    // Timelines stand one behind the other at the end.
    let last = unsafe (0..<entryCount).reduce(0) { last, entry in unsafe max(last, timelineOffset(ofEntry: entry)) }
    if last == 0 { return unsafe newestCounters.upperBound }
    return unsafe last + segmentCount(ofTimeline: last) * (hasEnds(last) ? 16 : 8)
  }
}

// MARK: - Beginning a block

extension AccessBlock {
  /// Adds what a block begins with to its words, up to the entries.
  static func begin(_ words: inout [UInt64], of customer: CustomerID, entryCount: Int) {
    let count = unsafe UInt64(min(entryCount, countedApart)) << 8
    if let (bits, letters) = customer.uuid {
      let pairs = bits.digitPairs
      words += [unsafe UInt64(lowerUUID + letters.rawValue) | count, pairs.0, pairs.1]
    } else {
      words.append(UInt64(customer.byteCount) | count)
      customer.appendWords(to: &words)
    }
    if unsafe entryCount >= countedApart { words.append(UInt64(entryCount)) }
  }
}
