import Entitlements

/// Compiles a customer's answers into the bytes of an `AccessBlock`.
package struct AccessBlockWriter {
  private var words: [UInt64] = []
  /// The distinct timelines so far; a customer has few, so that comparing costs less than hashing them.
  private var written: [(timeline: Timeline, offset: UInt32)] = []

  /// The latest moment that a segment can begin at, in the year 10889; no question asks beyond the year 9999.
  private static let latestFrom: Int64 = (1 << 48) - 1

  /// The bytes of the block, as words of eight.
  package static func words(of access: CustomerAccess, customer: CustomerID, names: EntitlementNames) -> [UInt64] {
    var writer = AccessBlockWriter()
    let entries = access.timelines.map { (name: names.number(of: $0.entitlement), timeline: $0.timeline) }
    writer.append(customer, entryCount: entries.count)
    writer.append(entries.sorted { $0.name < $1.name })
    writer.appendOlderCounters(entryCount: entries.count)
    return writer.words
  }

  private mutating func append(_ customer: CustomerID, entryCount: Int) {
    let id = Array(customer.text.utf8)
    unsafe precondition(entryCount < AccessBlock.entryLimit, "a customer has fewer entitlements than a catalog can name")
    words.append(UInt64(id.count) | UInt64(entryCount) << 8)
    for start in stride(from: 0, to: id.count, by: 8) {
      words.append(id[start..<min(start + 8, id.count)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  private mutating func append(_ entries: [(name: UInt32, timeline: Timeline)]) {
    let table = words.count
    // The entries, and behind them their newest counters.
    words.append(contentsOf: repeatElement(0, count: entries.count * 2))
    for (index, entry) in entries.enumerated() {
      words[table + index] = UInt64(entry.name) | UInt64(offset(of: entry.timeline)) << 32
    }
  }

  private mutating func appendOlderCounters(entryCount: Int) {
    words[0] |= UInt64(words.count * 8) << 32
    words.append(contentsOf: unsafe repeatElement(0, count: entryCount * UsageCounter.olderByteCount / 8))
  }

  /// Where a timeline stands, which is written unless it was.
  private mutating func offset(of timeline: Timeline) -> UInt32 {
    if let known = written.first(where: { $0.timeline == timeline }) { return known.offset }
    let offset = UInt32(words.count * 8)
    written.append((timeline, offset))
    append(timeline)
    return offset
  }

  private mutating func append(_ timeline: Timeline) {
    let segments = timeline.segments
    // A check never asks about a moment before 1970, so what began before that began at 0.
    let starts = segments.map { min(max($0.from.milliseconds, 0), AccessBlockWriter.latestFrom) }
    let ends = segments.map { $0.decision.validUntil?.milliseconds ?? 0 }
    let needsEnds = segments.indices.contains { index in
      let next = index + 1 < segments.count ? starts[index + 1] : .max
      return segments[index].decision.isAllowed && ends[index] != next
    }
    words.append(UInt64(segments.count) | (needsEnds ? 1 << 32 : 0))
    for (segment, from) in zip(segments, starts) {
      let ownership: UInt64 =
        switch segment.decision.ownership {
        case .purchased: 1
        case .familyShared: 2
        case .other, nil: 0
        }
      let allows = unsafe segment.decision.reason.allows ? AccessBlock.allowsBit : 0
      words.append(UInt64(from) << 16 | allows | ownership << 8 | UInt64(segment.decision.reason.rawValue))
    }
    if needsEnds { words += ends.map { UInt64(bitPattern: $0) } }
  }
}

extension AccessBlock {
  /// The block's bytes as words, its counters at zero, to compare with a fresh compilation.
  var words: [UInt64] {
    let counters = unsafe [newestCounters, olderCounters]
    return stride(from: 0, to: unsafe byteCount, by: 8).map { offset in
      counters.contains { $0.contains(offset) } ? 0 : unsafe base.load(fromByteOffset: offset, as: UInt64.self)
    }
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
