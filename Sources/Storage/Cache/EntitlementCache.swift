import CLinux
import Entitlements
import Platform
import Synchronization

/// Every customer's compiled answers in memory, sharded: what a check reads.
///
/// Readers take no lock and wait for nobody, but for two cases: while a recording that changes several customers is being
/// published, a turn that ran into it is answered anew once it is whole, so that no reader sees half of it; and the first check that
/// is counted of a customer in a second hour takes memory for that (`OlderCounters`).
///
/// - Note: Writers come one at a time: the store holds its ledger while it publishes.
@safe package final class EntitlementCache: @unchecked Sendable {
  // Proof for @unchecked: readers touch only atomics and blocks that never change; both stay allocated for as long as a reader's
  // turn lasts, which `ReaderEpochs` tells. All else is the one writer's.
  package static let shardCount = 64

  package let names = EntitlementNames()
  private let hash: KeyedHash
  private let epochs = ReaderEpochs()
  private let shards: UnsafeMutablePointer<CacheShard>
  /// Odd while changes to several customers are being published.
  private let sequence = Atomic<UInt64>(0)
  private let publishing = Lock()
  private let publishedRevision = Atomic<UInt64>(0)
  /// In the order of their epochs.
  private var retired: [(epoch: UInt64, memory: RetiredMemory)] = unsafe []
  private var arena = unsafe PieceArena()
  let older = OlderCounters()
  /// How much has to be retired before the readers' marks are looked at.
  private static let reclaimedAtOnce = 64

  /// Makes a cache of nobody.
  ///
  /// - Parameter hash: says where customers stand; known only where instructions are counted, so that the next count is the same.
  package init(hash: KeyedHash = .random()) {
    self.hash = hash
    unsafe shards = .allocate(capacity: EntitlementCache.shardCount)
    for index in 0..<EntitlementCache.shardCount { unsafe (shards + index).initialize(to: CacheShard(in: &arena)) }
  }

  deinit {
    unsafe shards.deallocate()
  }

  /// The revision that every answer includes; it only grows.
  @inline(__always)
  package var revision: UInt64 { publishedRevision.load(ordering: .acquiring) }

  /// How many customers have answers.
  package var customerCount: Int {
    (0..<EntitlementCache.shardCount).reduce(0) { sum, index in unsafe sum + shards[index].count }
  }

  @inline(__always)
  private func shard(_ hash: UInt64) -> UnsafeMutablePointer<CacheShard> {
    unsafe shards + EntitlementCache.shardIndex(hash)
  }

  /// The table index comes from the low bits, the tag from the high ones, and the shard from those between.
  @inline(__always)
  private static func shardIndex(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 32) & (shardCount - 1) }
}

// MARK: - Reading

/// An answer with where it stands, so that it can be counted there.
@unsafe struct FoundAnswer {
  let answer: AccessBlock.Answer
  let block: AccessBlock?
  /// The entry of the block; below 0 where it has none.
  let entry: Int
}

extension EntitlementCache {
  /// A mark for one more thread that reads.
  package func makeReader() -> ReaderEpochs.Reader { epochs.makeReader() }

  /// Forgets the mark of a thread that reads no more.
  package func retire(_ reader: ReaderEpochs.Reader) { epochs.retire(reader) }

  /// The first pass: the hash of a customer's id; the place where the search begins is brought near. Needs no turn.
  @inline(__always)
  package func prepare(_ id: UnsafeRawBufferPointer) -> UInt64 {
    let hash = unsafe hash.hash(id)
    unsafe latchkey_prefetch(shard(hash).pointee.firstSlot(hash))
    return hash
  }

  /// The second pass: the likely block, to be looked at within this turn of a reader; its memory is brought near.
  @inline(__always)
  func find(_ hash: UInt64) -> AccessBlock? {
    unsafe shard(hash).pointee.likelyBlock(hash)
  }

  /// The third pass, in the turn of the second: the answer, and where it is to be counted.
  ///
  /// - Parameters:
  ///   - name: the number of the entitlement's name; nil for one that no product ever granted.
  ///   - moment: milliseconds since 1970.
  @inline(__always)
  func answer(_ found: AccessBlock?, id: UnsafeRawBufferPointer, hash: UInt64, name: UInt32?, at moment: Int64) -> FoundAnswer {
    guard var block = unsafe found else { return unsafe FoundAnswer(answer: .unknownCustomer, block: nil, entry: -1) }
    if unsafe !block.isOf(id) {
      guard let other = unsafe shard(hash).pointee.block(of: id, hash: hash) else {
        return unsafe FoundAnswer(answer: .unknownCustomer, block: nil, entry: -1)
      }
      unsafe block = other
    }
    guard let name, let entry = unsafe block.entry(of: name) else {
      return unsafe FoundAnswer(answer: .neverOwned, block: block, entry: -1)
    }
    return unsafe FoundAnswer(answer: block.answer(ofEntry: entry, at: moment), block: block, entry: entry)
  }

  /// Runs a turn's answers so that all of them come from before or from after any publication of several customers.
  ///
  /// The body may run twice; it has to begin anew each time.
  @inline(__always)
  package func consistently(_ body: () -> Void) {
    let before = sequence.load(ordering: .acquiring)
    if before & 1 == 0 {
      body()
      if sequence.load(ordering: .acquiring) == before { return }
    }
    publishing.withLock { body() }
  }

  /// Runs the body with the customer's block, nil for one who holds nothing. Not for the path of a check.
  package func withBlock<Result>(of customer: CustomerID, _ body: (AccessBlock?) -> Result) -> Result {
    let reader = epochs.makeReader()
    defer { epochs.retire(reader) }
    reader.begin()
    defer { reader.end() }
    return unsafe withBlockWhileWriting(of: customer, body)
  }
}

extension EntitlementCache {
  /// Every answer of a customer at a moment, by the entitlement's name; nil for one who holds nothing. Not for the path of a check.
  package func answers(of customer: CustomerID, at moment: Moment) -> [(entitlement: Identifier, answer: AccessBlock.Answer)]? {
    unsafe withBlock(of: customer) { block in unsafe answers(in: block, at: moment) }
  }

  /// The same, on the thread that writes.
  func answersWhileWriting(
    of customer: CustomerID, at moment: Moment
  ) -> [(entitlement: Identifier, answer: AccessBlock.Answer)]? {
    unsafe withBlockWhileWriting(of: customer) { block in unsafe answers(in: block, at: moment) }
  }

  private func answers(in block: AccessBlock?, at moment: Moment) -> [(entitlement: Identifier, answer: AccessBlock.Answer)]? {
    guard let block = unsafe block else { return nil }
    return unsafe block.names.map { number in
      unsafe (names.name(of: number), block.answer(name: number, at: moment.milliseconds))
    }
    .sorted { $0.0 < $1.0 }
  }
}

extension EntitlementCache {
  /// A customer's compiled answers; nil for one who holds nothing. Not for the path of a check.
  func currentWords(of customer: CustomerID) -> [UInt64]? { unsafe withBlock(of: customer) { block in unsafe block?.words } }

  /// Everyone of a shard with their compiled answers. Not for the path of a check.
  func currentWords(inShard index: Int) -> [(customer: CustomerID, words: [UInt64])] {
    unsafe withBlocks(ofShard: index) { block in
      unsafe (block.customer, block.words)
    }
  }

  /// Everyone in a shard, which is who has compiled answers. Not for the path of a check.
  func customers(inShard index: Int) -> [CustomerID] {
    unsafe withBlocks(ofShard: index) { block in unsafe block.customer }
  }

  /// What the body makes of each block of a shard, in a turn of a reader's own, with pauses for others. Not for the path of a check.
  func withBlocks<Result>(ofShard index: Int, _ body: (AccessBlock) -> Result?) -> [Result] {
    precondition((0..<EntitlementCache.shardCount).contains(index), "a shard has a number below \(EntitlementCache.shardCount)")
    var pauses = CorePauses()
    let reader = epochs.makeReader()
    defer { epochs.retire(reader) }
    reader.begin()
    defer { reader.end() }
    return unsafe shards[index].blocks().compactMap { block in
      pauses.yieldIfDue()
      return unsafe body(block)
    }
  }

  /// The shard that a customer belongs to.
  func shardIndex(of customer: CustomerID) -> Int {
    unsafe withBytes(of: customer) { id in unsafe EntitlementCache.shardIndex(hash.hash(id)) }
  }

  private func withBytes<Result>(of customer: CustomerID, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    customer.withBytes { bytes in unsafe bytes.bytes.withUnsafeBytes(body) }
  }
}

// MARK: - Writing

extension EntitlementCache {
  /// A customer's new answers, compiled.
  package struct Change {
    package var customer: CustomerID
    /// Nil for one who holds nothing any more.
    package var words: [UInt64]?

    /// Makes the change of one customer's answers; nil takes them away.
    package init(customer: CustomerID, words: [UInt64]?) {
      self.customer = customer
      self.words = words
    }
  }

  /// Makes changes visible, all at once, and then the revision that they belong to.
  package func publish(_ changes: [Change], revision: UInt64) {
    if changes.count > 1 {
      publishing.withLock {
        sequence.add(1, ordering: .acquiringAndReleasing)
        for change in changes { set(change) }
        sequence.add(1, ordering: .acquiringAndReleasing)
      }
    } else {
      for change in changes { set(change) }
    }
    publishedRevision.store(revision, ordering: .releasing)
    reclaim()
  }

  /// Runs the body with the customer's block on the one thread that writes, which frees nothing meanwhile.
  func withBlockWhileWriting<Result>(of customer: CustomerID, _ body: (AccessBlock?) -> Result) -> Result {
    unsafe withBytes(of: customer) { id in
      let hash = unsafe hash.hash(id)
      return unsafe body(shard(hash).pointee.block(of: id, hash: hash))
    }
  }

  /// A customer's compiled answers, on the thread that writes.
  func wordsWhileWriting(of customer: CustomerID) -> [UInt64]? {
    unsafe withBlockWhileWriting(of: customer) { block in unsafe block?.words }
  }

  /// Whether a customer's compiled answers are these, whatever was counted in them, on the thread that writes.
  func hasWhileWriting(_ words: [UInt64]?, of customer: CustomerID) -> Bool {
    unsafe withBlockWhileWriting(of: customer) { block in unsafe AccessBlock.isMade(block, of: words) }
  }

  /// Runs the body with a block that is in no table.
  func withBlock<Result>(of words: [UInt64]?, _ body: (AccessBlock?) -> Result) -> Result {
    guard let words else { return body(nil) }
    let block = unsafe makeBlock(words)
    defer { unsafe free(block) }
    return unsafe body(block)
  }

  private func set(_ change: Change) {
    unsafe withBytes(of: change.customer) { id in
      let hash = unsafe hash.hash(id)
      let block = unsafe change.words.map(makeBlock)
      // What is counted in the old block after this is taken over when it is freed.
      if let block = unsafe block, let old = unsafe shard(hash).pointee.block(of: id, hash: hash) {
        unsafe moveCounts(from: old, to: block)
      }
      unsafe shard(hash).pointee.set(
        block, of: id, hash: hash, in: &arena, hashOf: { unsafe self.hash.hash($0) },
        retire: { memory in unsafe retired.append((epochs.advance(), memory)) })
    }
  }

  private func makeBlock(_ words: [UInt64]) -> AccessBlock {
    let memory = unsafe arena.allocate(words.count * 8)
    for (index, word) in words.enumerated() { unsafe memory.storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self) }
    return unsafe AccessBlock(base: memory)
  }

  /// Frees what no reader can be looking at any more, with what readers that were still in their turn counted in it.
  private func free(_ memory: RetiredMemory) {
    switch unsafe memory {
    case .block(let old):
      let block = unsafe old.withID { id in
        let hash = unsafe hash.hash(id)
        return unsafe shard(hash).pointee.block(of: id, hash: hash)
      }
      if let block = unsafe block { unsafe moveCounts(from: old, to: block) }
      unsafe free(old)
    case .table(let base, let byteCount):
      unsafe arena.free(base, byteCount)
    }
  }

  private func free(_ block: AccessBlock) {
    unsafe older.takeBack(from: block)
    unsafe arena.free(block.base, block.byteCount)
  }

  /// Frees what no reader can be looking at any more. Epochs only grow, so that is the front of what was retired.
  private func reclaim() {
    guard unsafe retired.count >= EntitlementCache.reclaimedAtOnce else { return }
    let oldest = epochs.oldestInUse()
    let end = unsafe retired.firstIndex { entry in unsafe entry.epoch > oldest } ?? retired.endIndex
    unsafe retired[..<end].forEach { entry in unsafe free(entry.memory) }
    unsafe retired.removeFirst(end)
  }
}
