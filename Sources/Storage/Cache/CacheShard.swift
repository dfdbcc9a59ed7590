import CLinux
import Entitlements
import Platform
import Synchronization

/// One shard of the cache: an open-addressing table from the hash of a customer's id to the customer's block.
///
/// A slot holds 16 bits of the hash above a 48-bit address, of which the lowest four bits are nothing of the address: bit 1 says that
/// the block takes more than a line of the processor's cache. 0 is free, 1 was freed. Readers go through the table without a lock:
/// a slot changes with one atomic store, and a table or block that was replaced is freed only when no reader is in a turn that
/// began before. One thread at a time writes. A shard never moves in memory.
@unsafe struct CacheShard: ~Copyable {
  /// A table of as many slots as a power of two, known by one word: its address below the exponent.
  @unsafe private struct Table {
    let slots: UnsafeMutablePointer<Atomic<UInt64>>
    let mask: Int

    @inline(__always)
    init(word: UInt64) {
      guard let slots = unsafe UnsafeMutablePointer<Atomic<UInt64>>(bitPattern: UInt(word & addressMask)) else {
        preconditionFailure("a shard has a table")
      }
      unsafe self.slots = unsafe slots
      unsafe mask = (1 << Int(truncatingIfNeeded: word >> addressBits)) - 1
    }

    /// Makes one whose slots are free.
    init(capacity: Int, in arena: inout PieceArena) {
      let memory = unsafe arena.allocate(capacity * MemoryLayout<UInt64>.size)
      unsafe slots = unsafe memory.bindMemory(to: Atomic<UInt64>.self, capacity: capacity)
      for index in 0..<capacity { unsafe (slots + index).initialize(to: Atomic(0)) }
      unsafe mask = capacity - 1
    }

    var word: UInt64 {
      unsafe UInt64(UInt(bitPattern: slots)) | UInt64((mask + 1).trailingZeroBitCount) << addressBits
    }

    @inline(__always)
    func slot(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { unsafe slots + index }
  }

  private static let freed: UInt64 = 1
  private static let longBit: UInt64 = 2
  /// Blocks begin at multiples of 16.
  private static let blockMask: UInt64 = addressMask & ~15
  private static let addressBits = 48
  private static let addressMask: UInt64 = (1 << addressBits) - 1
  private static let smallestCapacity = 16

  private let table: Atomic<UInt64>
  /// How many slots aren't free: those of customers, and those that were freed. Only the writer's.
  private let usedCount = Atomic(0)
  private let customerCount = Atomic(0)

  init(in arena: inout PieceArena) {
    unsafe table = Atomic(Table(capacity: CacheShard.smallestCapacity, in: &arena).word)
  }

  /// How many customers are in the table.
  var count: Int { unsafe customerCount.load(ordering: .relaxed) }

  /// Every block of the table. In a reader's turn, or on the thread that writes.
  func blocks() -> [AccessBlock] {
    let table = unsafe current
    return unsafe (0...table.mask).compactMap { index in
      unsafe CacheShard.block(table.slot(index).pointee.load(ordering: .acquiring))
    }
  }

  @inline(__always)
  private var current: Table { unsafe Table(word: table.load(ordering: .acquiring)) }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt64 { unsafe hash & ~addressMask }

  @inline(__always)
  private static func agrees(_ slot: UInt64, with hash: UInt64) -> Bool {
    unsafe slot != freed && slot & ~addressMask == tag(hash)
  }

  /// The block of a slot; nil for one that is free or was freed.
  @inline(__always)
  private static func block(_ slot: UInt64) -> AccessBlock? {
    guard unsafe slot != freed, let base = unsafe UnsafeMutableRawPointer(bitPattern: UInt(slot & blockMask)) else {
      return nil
    }
    return unsafe AccessBlock(base: base)
  }
}

/// What was taken out of a shard, to be given back to the arena when no reader can be looking at it any more.
@unsafe enum RetiredMemory {
  case block(AccessBlock)
  case table(UnsafeMutableRawPointer, byteCount: Int)
}

// MARK: - Reading

extension CacheShard {
  /// The likely address of the slot at which a search begins, to be brought near. Looks at no table, so that no turn is needed.
  @inline(__always)
  func firstSlot(_ hash: UInt64) -> UnsafeRawPointer {
    let table = unsafe Table(word: table.load(ordering: .relaxed))
    return unsafe UnsafeRawPointer(table.slot(Int(truncatingIfNeeded: hash) & table.mask))
  }

  /// The first block whose slot agrees with the hash: almost always the customer's. Looks at no block, but brings it near.
  @inline(__always)
  func likelyBlock(_ hash: UInt64) -> AccessBlock? {
    let table = unsafe current
    let mask = unsafe table.mask
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = unsafe table.slot(index).pointee.load(ordering: .acquiring)
      if slot == 0 { return nil }
      if unsafe CacheShard.agrees(slot, with: hash) { return unsafe CacheShard.nearBlock(slot) }
      index = (index + 1) & mask
    }
  }

  @inline(__always)
  private static func nearBlock(_ slot: UInt64) -> AccessBlock? {
    guard let block = unsafe block(slot) else { return nil }
    unsafe latchkey_prefetch(block.base)
    // What isn't looked at would take the place of what is: never more is on its way than the processor keeps track of.
    if unsafe slot & longBit != 0 { unsafe latchkey_prefetch(block.base + 64) }
    return unsafe block
  }

  /// The block of a customer.
  func block(of id: UnsafeRawBufferPointer, hash: UInt64) -> AccessBlock? { unsafe find(id, hash: hash)?.block }

  /// The slot and the block of a customer, as both were in one look: a writer may replace either right after it.
  private func find(_ id: UnsafeRawBufferPointer, hash: UInt64)
    -> (slot: UnsafeMutablePointer<Atomic<UInt64>>, block: AccessBlock)?
  {
    let table = unsafe current
    let mask = unsafe table.mask
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let place = unsafe table.slot(index)
      let slot = unsafe place.pointee.load(ordering: .acquiring)
      if slot == 0 { return nil }
      if unsafe CacheShard.agrees(slot, with: hash), let block = unsafe CacheShard.block(slot), unsafe block.isOf(id) {
        return unsafe (place, block)
      }
      index = (index + 1) & mask
    }
  }
}

// MARK: - Writing

extension CacheShard {
  /// Puts a block in the place of the customer's, or takes the customer out. What was replaced goes to `retire`.
  func set(
    _ block: AccessBlock?, of id: UnsafeRawBufferPointer, hash: UInt64, in arena: inout PieceArena,
    hashOf: (UnsafeRawBufferPointer) -> UInt64, retire: (RetiredMemory) -> Void
  ) {
    let slot = unsafe block.map { unsafe CacheShard.slot(of: $0, hash: hash) } ?? CacheShard.freed
    if let found = unsafe find(id, hash: hash) {
      unsafe found.slot.pointee.store(slot, ordering: .releasing)
      unsafe retire(.block(found.block))
      if unsafe block == nil { unsafe customerCount.subtract(1, ordering: .relaxed) }
    } else if unsafe block != nil {
      unsafe growIfNeeded(in: &arena, hashOf: hashOf, retire: retire)
      unsafe CacheShard.insert(slot, hash: hash, into: current)
      unsafe usedCount.add(1, ordering: .relaxed)
      unsafe customerCount.add(1, ordering: .relaxed)
    }
  }

  private static func slot(of block: AccessBlock, hash: UInt64) -> UInt64 {
    let address = unsafe UInt64(UInt(bitPattern: block.base))
    precondition(
      unsafe address & ~blockMask == 0, "addresses of user space have 48 bits, and those of blocks are multiples of 16")
    return unsafe tag(hash) | address | (block.byteCount > 64 ? longBit : 0)
  }

  /// Takes the first free slot. One that was freed is left alone until the table is made anew, so that searches stay simple.
  private static func insert(_ slot: UInt64, hash: UInt64, into table: Table) {
    let mask = unsafe table.mask
    var index = Int(truncatingIfNeeded: hash) & mask
    while unsafe table.slot(index).pointee.load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
    unsafe table.slot(index).pointee.store(slot, ordering: .releasing)
  }

  /// Makes a table with room at three quarters full, of the same size where most of it was freed.
  private func growIfNeeded(
    in arena: inout PieceArena, hashOf: (UnsafeRawBufferPointer) -> UInt64, retire: (RetiredMemory) -> Void
  ) {
    let old = unsafe current
    let capacity = unsafe old.mask + 1
    guard unsafe (usedCount.load(ordering: .relaxed) + 1) * 4 > capacity * 3 else { return }
    let newCapacity = unsafe count * 2 >= capacity ? capacity * 2 : capacity
    let new = unsafe Table(capacity: newCapacity, in: &arena)
    unsafe blocks().forEach { block in
      let hash = unsafe block.withID(hashOf)
      unsafe CacheShard.insert(CacheShard.slot(of: block, hash: hash), hash: hash, into: new)
    }
    unsafe usedCount.store(count, ordering: .relaxed)
    unsafe table.store(new.word, ordering: .releasing)
    unsafe retire(.table(UnsafeMutableRawPointer(old.slots), byteCount: capacity * MemoryLayout<UInt64>.size))
  }
}
