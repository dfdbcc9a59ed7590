import Entitlements

/// Compiles the answers of customers into the bytes of their `AccessBlock`s, one after the other, in room that it keeps.
package struct AccessBlockWriter: Sendable {
  /// The bytes of the block of the customer who was written last, as words of eight.
  package private(set) var words: [UInt64] = []
  private var folding = Folding()
  /// The numbers of names in lists that were written lately. A list is known for as long as it is remembered here.
  private var lists: [(list: EntitlementList, numbers: [UInt32])] = []
  /// Whose numbers they are.
  private var names: EntitlementNames?

  /// How many lists are remembered: few, since they are searched one by one.
  private static let listLimit = 8

  /// The latest moment that a segment can begin at, in the year 10889; no question asks beyond the year 9999.
  private static let latestFrom: Int64 = (1 << 48) - 1

  package init() {}

  /// The bytes of a block, as words of eight.
  package static func words(of access: CustomerAccess, customer: CustomerID, names: EntitlementNames) -> [UInt64] {
    var writer = AccessBlockWriter()
    writer.write(access, customer, names)
    return writer.words
  }

  /// Folds a customer, and writes the answers; says whether the customer holds anything at all.
  package mutating func write(_ customer: CustomerID, of ledger: Ledger, _ names: EntitlementNames) -> Bool {
    guard folding.fold(customer, of: ledger) else { return false }
    write(folding.access, customer, names)
    return true
  }

  /// The same of the customer with a number; gives who that is, nil where nobody has it who holds something.
  package mutating func write(customerNumbered number: Int, of ledger: Ledger, _ names: EntitlementNames) -> CustomerID? {
    guard let customer = folding.fold(customerNumbered: number, of: ledger) else { return nil }
    write(folding.access, customer, names)
    return customer
  }

  /// What was written, for whoever keeps it: in an array of its own size, since the writer's is as large as the longest answers that
  /// it ever wrote.
  static func kept(_ words: [UInt64]?) -> [UInt64]? {
    words.map { words in unsafe words.withUnsafeBufferPointer { unsafe Array($0) } }
  }

  private mutating func write(_ access: CustomerAccess, _ customer: CustomerID, _ names: EntitlementNames) {
    var entryCount = 0
    for index in 0..<access.partCount { entryCount += access.part(index).list.entitlements.count }
    unsafe precondition(entryCount < AccessBlock.entryLimit, "a customer has fewer entitlements than a catalog can name")
    words.removeAll(keepingCapacity: true)
    unsafe AccessBlock.begin(&words, of: customer, entryCount: entryCount)
    let table = words.count
    for index in 0..<access.partCount { appendEntries(of: numbers(of: access.part(index).list, names)) }
    // The newest counters stand behind the entries.
    appendZeros(entryCount)
    appendTimelines(of: access, entries: table)
    if access.partCount > 1 {
      words[table..<table + entryCount].sort { UInt32(truncatingIfNeeded: $0) < UInt32(truncatingIfNeeded: $1) }
    }
  }

  private mutating func appendZeros(_ count: Int) {
    words.append(contentsOf: repeatElement(0, count: count))
  }

  /// Writes entries, of which it isn't known yet where their timeline stands.
  private mutating func appendEntries(of numbers: [UInt32]) {
    for number in numbers { words.append(UInt64(number)) }
  }

  /// The numbers of the names in a list, in ascending order.
  private mutating func numbers(of list: EntitlementList, _ names: EntitlementNames) -> [UInt32] {
    if self.names !== names { (self.names, lists) = (names, []) }
    for index in lists.indices where lists[index].list === list { return lists[index].numbers }
    let numbers = names.numbers(of: list.entitlements)
    if lists.count == AccessBlockWriter.listLimit { lists.removeFirst() }
    lists.append((list, numbers))
    return numbers
  }

  /// Writes the timelines, and into the entries, which stand from a word on, where each is.
  private mutating func appendTimelines(of access: CustomerAccess, entries: Int) {
    var entry = entries
    var end = 0
    for index in 0..<access.partCount {
      let part = access.part(index)
      let offset: UInt64
      if part.segments.lowerBound == end {
        (offset, end) = (UInt64(words.count * 8), part.segments.upperBound)
        append(access.segments, part.segments)
      } else {
        offset = words[entries + entriesBefore(part, in: access)] >> 32
      }
      for _ in part.list.entitlements {
        words[entry] |= offset << 32
        entry += 1
      }
    }
  }

  /// How many entries stand before those of the first part with the same timeline.
  private func entriesBefore(_ part: CustomerAccess.Part, in access: CustomerAccess) -> Int {
    var (count, index) = (0, 0)
    while access.part(index).segments != part.segments {
      count += access.part(index).list.entitlements.count
      index += 1
    }
    return count
  }

  private mutating func append(_ segments: [Timeline.Segment], _ range: Range<Int>) {
    let first = words.count
    appendZeros(range.count)
    var room = words.mutableSpan
    let needsEnds = AccessBlockWriter.write(segments.span.extracting(range), to: &room, from: first)
    // The first one begins before all moments, so that its `from` can say something else.
    room[first] = unsafe room[first] & 0xFFFF | UInt64(range.count) << 16 | (needsEnds ? AccessBlock.endsBit : 0)
    guard needsEnds else { return }
    for index in range { words.append(UInt64(bitPattern: segments[index].decision.validUntil?.milliseconds ?? 0)) }
  }

  /// Writes segments from a word on; says whether the end of some grant isn't where the next segment begins.
  private static func write(_ segments: Span<Timeline.Segment>, to words: inout MutableSpan<UInt64>, from word: Int) -> Bool {
    var needsEnds = false
    // Where the next segment has to begin; nil behind a denial.
    var end: Int64?
    for index in segments.indices {
      let decision = segments[index].decision
      // A check never asks about a moment before 1970, so what began before that began at 0.
      let start = min(max(segments[index].from.milliseconds, 0), latestFrom)
      if let end, end != start { needsEnds = true }
      end = decision.isAllowed ? decision.validUntil?.milliseconds ?? 0 : nil
      words[word + index] = UInt64(start) << 16 | bits(of: decision)
    }
    return needsEnds || end ?? .max != .max
  }

  private static func bits(of decision: Decision) -> UInt64 {
    let ownership: UInt64 =
      switch decision.isShared {
      case false: 1
      case true: 2
      case nil: 0
      }
    let allows = unsafe decision.isAllowed ? AccessBlock.allowsBit : 0
    return allows | ownership << 8 | UInt64(decision.reason.rawValue)
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
