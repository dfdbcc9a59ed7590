/// Finds numbers by keys that stand elsewhere: a hash table of which each place has eight bytes, half the key's hash and half the
/// number.
///
/// It is in segments, of which each grows by itself and without a look at any key, so that no addition to a large one takes long.
struct NumberIndex: Sendable {
  /// One segment while there are few keys, then as many as a byte of the hash tells apart.
  private(set) var segments: [[UInt64]] = [[]]
  private var counts: [Int] = [0]
  private(set) var count = 0

  private static let segmentCount = 256
  /// How many keys one segment alone holds.
  private static let smallLimit = 2_048
  /// A place that is free. No number is that large.
  static let free = UInt64.max

  /// The number whose key has this hash, and is the one.
  func find(_ hash: Int, where isKey: (Int) -> Bool) -> Int? {
    let (segment, tag) = (segment(of: hash), NumberIndex.tag(of: hash))
    // In place: a segment of its own would be counted as one more reference to it.
    let end = segments[segment].count
    if end == 0 { return nil }
    var place = NumberIndex.home(of: tag, in: end)
    while true {
      let slot = segments[segment][place]
      if slot == NumberIndex.free { return nil }
      if slot >> 32 == tag, isKey(Int(slot & 0xFFFF_FFFF)) { return Int(slot & 0xFFFF_FFFF) }
      place = place + 1 == end ? 0 : place + 1
    }
  }

  /// Makes room for so many numbers together with those that are there.
  mutating func reserve(_ wanted: Int) {
    if wanted > NumberIndex.smallLimit, segments.count == 1 { divide() }
    // Segments fill alike, but for chance.
    let share = wanted / segments.count + 4 * Int(Double(wanted / segments.count).squareRoot())
    for segment in segments.indices where share * 5 > segments[segment].count * 4 { move(segment, into: share * 5 / 4 + 8) }
  }

  /// Adds a number under the hash of its key, which isn't there yet.
  mutating func insert(_ number: Int, _ hash: Int) {
    precondition(number < UInt32.max, "numbers have 32 bits")
    if count == NumberIndex.smallLimit, segments.count == 1 { divide() }
    let segment = segment(of: hash)
    counts[segment] += 1
    count += 1
    if counts[segment] * 5 > segments[segment].count * 4 { grow(segment) }
    NumberIndex.put(NumberIndex.tag(of: hash) << 32 | UInt64(number), into: &segments[segment])
  }

  /// Takes a number out that was added under this hash.
  mutating func remove(_ number: Int, _ hash: Int) {
    let (segment, tag) = (segment(of: hash), NumberIndex.tag(of: hash))
    var place = NumberIndex.home(of: tag, in: segments[segment].count)
    while segments[segment][place] != tag << 32 | UInt64(number) {
      precondition(segments[segment][place] != NumberIndex.free, "what is taken out was added")
      place = place + 1 == segments[segment].count ? 0 : place + 1
    }
    counts[segment] -= 1
    count -= 1
    close(place, in: segment)
  }

  /// Moves those behind a place up that are no longer found across it.
  private mutating func close(_ place: Int, in segment: Int) {
    var hole = place
    var next = place
    let end = segments[segment].count
    while true {
      next = next + 1 == end ? 0 : next + 1
      let slot = segments[segment][next]
      if slot == NumberIndex.free { break }
      let home = NumberIndex.home(of: slot >> 32, in: end)
      // Whether its way from home to here leads over the hole.
      let isAcross = hole <= next ? home <= hole || home > next : home <= hole && home > next
      guard isAcross else { continue }
      segments[segment][hole] = slot
      hole = next
    }
    segments[segment][hole] = NumberIndex.free
  }

  private mutating func grow(_ segment: Int) { move(segment, into: max(8, segments[segment].count * 3 / 2)) }

  /// Moves a segment into so many places.
  private mutating func move(_ segment: Int, into count: Int) {
    let old = segments[segment]
    segments[segment] = [UInt64](repeating: NumberIndex.free, count: count)
    for slot in old where slot != NumberIndex.free { NumberIndex.put(slot, into: &segments[segment]) }
  }

  /// Makes many segments of the one, by the byte that its tags begin with.
  private mutating func divide() {
    let old = segments[0]
    segments = [[UInt64]](repeating: [], count: NumberIndex.segmentCount)
    counts = [Int](repeating: 0, count: NumberIndex.segmentCount)
    for slot in old where slot != NumberIndex.free {
      let segment = Int(slot >> 56)
      counts[segment] += 1
      if counts[segment] * 5 > segments[segment].count * 4 { grow(segment) }
      NumberIndex.put(slot, into: &segments[segment])
    }
  }

  private static func put(_ slot: UInt64, into slots: inout [UInt64]) {
    var place = home(of: slot >> 32, in: slots.count)
    while slots[place] != free { place = place + 1 == slots.count ? 0 : place + 1 }
    slots[place] = slot
  }

  private func segment(of hash: Int) -> Int {
    segments.count == 1 ? 0 : Int(NumberIndex.tag(of: hash) >> 24)
  }

  /// The half of a hash that is kept.
  private static func tag(of hash: Int) -> UInt64 { UInt64(truncatingIfNeeded: hash) >> 32 }

  /// Where the search for a tag begins: by its bits below those that name the segment.
  static func home(of tag: UInt64, in count: Int) -> Int { Int(((tag & 0xFF_FFFF) * UInt64(count)) >> 24) }
}
