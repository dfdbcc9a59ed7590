import Entitlements

/// Compiles a customer's answers into the bytes of an `AccessBlock`.
package struct AccessBlockWriter {
  private var words: [UInt64] = []

  /// The latest moment that a segment can begin at, in the year 10889; no question asks beyond the year 9999.
  private static let latestFrom: Int64 = (1 << 48) - 1

  /// The bytes of the block, as words of eight.
  package static func words(of access: CustomerAccess, customer: CustomerID, names: EntitlementNames) -> [UInt64] {
    let entryCount = access.parts.reduce(0) { $0 + $1.entitlements.count }
    let timelineWordCount = access.parts.reduce(0) { $0 + wordCount(of: $1.timeline) }
    unsafe precondition(entryCount < AccessBlock.entryLimit, "a customer has fewer entitlements than a catalog can name")
    var writer = AccessBlockWriter()
    writer.words.reserveCapacity(2 + (customer.byteCount + 7) / 8 + 2 * entryCount + timelineWordCount)
    unsafe AccessBlock.begin(&writer.words, of: customer, entryCount: entryCount)
    writer.appendEntries(access.parts, names, entryCount: entryCount)
    for part in access.parts { writer.append(part.timeline) }
    return writer.words
  }

  /// Writes the entries by name, with where the timelines will stand, and behind them the newest counters.
  private mutating func appendEntries(_ parts: [CustomerAccess.Part], _ names: EntitlementNames, entryCount: Int) {
    let table = words.count
    var timeline = table + 2 * entryCount
    for part in parts {
      for number in names.numbers(of: part.entitlements) { words.append(UInt64(number) | UInt64(timeline * 8) << 32) }
      timeline += AccessBlockWriter.wordCount(of: part.timeline)
    }
    if parts.count > 1 { words[table...].sort { UInt32(truncatingIfNeeded: $0) < UInt32(truncatingIfNeeded: $1) } }
    words.append(contentsOf: repeatElement(0, count: entryCount))
  }

  private static func wordCount(of timeline: Timeline) -> Int {
    let count = timeline.segments.count
    return needsEnds(timeline.segments) ? 2 * count : count
  }

  private mutating func append(_ timeline: Timeline) {
    let segments = timeline.segments
    let needsEnds = AccessBlockWriter.needsEnds(segments)
    let first = words.count
    for segment in segments { words.append(AccessBlockWriter.word(of: segment)) }
    // The first one begins before all moments, so that its `from` can say something else.
    unsafe words[first] = words[first] & 0xFFFF | UInt64(segments.count) << 16 | (needsEnds ? AccessBlock.endsBit : 0)
    guard needsEnds else { return }
    for segment in segments { words.append(UInt64(bitPattern: segment.decision.validUntil?.milliseconds ?? 0)) }
  }

  /// A check never asks about a moment before 1970, so what began before that began at 0.
  private static func start(of segment: Timeline.Segment) -> Int64 { min(max(segment.from.milliseconds, 0), latestFrom) }

  /// Whether the end of some grant isn't where the next segment begins.
  private static func needsEnds(_ segments: [Timeline.Segment]) -> Bool {
    segments.indices.contains { index in
      let decision = segments[index].decision
      let next = index + 1 < segments.count ? start(of: segments[index + 1]) : .max
      return decision.isAllowed && decision.validUntil?.milliseconds ?? 0 != next
    }
  }

  private static func word(of segment: Timeline.Segment) -> UInt64 {
    let ownership: UInt64 =
      switch segment.decision.isShared {
      case false: 1
      case true: 2
      case nil: 0
      }
    let allows = unsafe segment.decision.isAllowed ? AccessBlock.allowsBit : 0
    return UInt64(start(of: segment)) << 16 | allows | ownership << 8 | UInt64(segment.decision.reason.rawValue)
  }
}

extension AccessBlock {
  /// The block's bytes as words, its counters at zero, to compare with a fresh compilation.
  var words: [UInt64] {
    let counters = unsafe newestCounters
    return stride(from: 0, to: unsafe byteCount, by: 8).map { offset in
      // The counters aren't read: others add to them meanwhile.
      if counters.contains(offset) { return 0 }
      return unsafe offset == 0 ? lastingHeader : base.load(fromByteOffset: offset, as: UInt64.self)
    }
  }

  /// Whether a block was made of these words, whatever was counted in it since; none is made of no words.
  static func isMade(_ block: AccessBlock?, of words: [UInt64]?) -> Bool {
    guard let block = unsafe block, let words else { return unsafe block == nil && words == nil }
    guard unsafe block.lastingHeader == words[0], unsafe words.count * 8 == block.byteCount else { return false }
    // The counters aren't read: others add to them meanwhile.
    return unsafe block.has(words, in: headerByteCount..<block.newestCounters.lowerBound)
      && block.has(words, in: block.newestCounters.upperBound..<words.count * 8)
  }

  private func has(_ words: [UInt64], in bytes: Range<Int>) -> Bool {
    for offset in stride(from: bytes.lowerBound, to: bytes.upperBound, by: 8)
    where unsafe base.load(fromByteOffset: offset, as: UInt64.self) != words[offset / 8] { return false }
    return true
  }

  /// The moments at which some answer changes, in order, and 0.
  var boundaries: [Int64] {
    var moments: Set<Int64> = [0]
    for index in unsafe 0..<entryCount {
      let timeline = unsafe timelineOffset(ofEntry: index)
      for segment in 0..<(unsafe segmentCount(ofTimeline: timeline)) {
        moments.insert(unsafe from(ofSegment: segment, ofTimeline: timeline))
      }
    }
    return moments.sorted()
  }

  /// The numbers of the entitlements that the customer's transactions could grant.
  package var names: [UInt32] {
    (0..<(unsafe entryCount)).map { index in unsafe name(ofEntry: index) }
  }
}
