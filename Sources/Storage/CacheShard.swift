import Entitlements
import Platform
import Synchronization

/// One shard of the cache: an open-addressing table from the hash of a customer's id to the customer's block.
///
/// A slot holds 16 bits of the hash above a 48-bit address; 0 is free, 1 was freed. Readers go through the table without a lock:
/// a slot changes with one atomic store, and a table or block that was replaced is freed only when no reader is in a turn that
/// began before. One thread at a time writes. A shard never moves in memory.
@unsafe struct CacheShard: ~Copyable {
  /// A table: the mask, then the slots.
  @unsafe private struct Table {
    let base: UnsafeMutablePointer<Atomic<UInt64>>

    static func make(capacity: Int) -> Table {
      let base = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: capacity + 1)
      unsafe base.initialize(to: Atomic(UInt64(capacity - 1)))
      for index in 1...capacity { unsafe (base + index).initialize(to: Atomic(0)) }
      return unsafe Table(base: base)
    }

    @inline(__always)
    var mask: Int { unsafe Int(truncatingIfNeeded: base.pointee.load(ordering: .relaxed)) }

    @inline(__always)
    func slot(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> { unsafe base + (1 + index) }
  }

  private static let freed: UInt64 = 1
  private static let addressMask: UInt64 = (1 << 48) - 1
  private static let smallestCapacity = 16

  private let table: Atomic<UInt>
  /// The mask of the table, kept beside its address too; for a moment it can be that of the table before.
  private let nearbyMask: Atomic<Int>
  /// How many slots aren't free: those of customers, and those that were freed. Only the writer's.
  private let usedCount = Atomic(0)
  private let customerCount = Atomic(0)

  init() {
    let first = unsafe Table.make(capacity: CacheShard.smallestCapacity)
    unsafe table = Atomic(UInt(bitPattern: first.base))
    unsafe nearbyMask = Atomic(CacheShard.smallestCapacity - 1)
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

  /// Frees the table and every block, when no reader is left.
  func free() {
    unsafe blocks().forEach { block in unsafe block.base.deallocate() }
    unsafe current.base.deallocate()
  }

  @inline(__always)
  private var current: Table {
    guard let base = unsafe UnsafeMutablePointer<Atomic<UInt64>>(bitPattern: table.load(ordering: .acquiring)) else {
      preconditionFailure("a shard has a table")
    }
    return unsafe Table(base: base)
  }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt64 { unsafe hash & ~addressMask }

  @inline(__always)
  private static func agrees(_ slot: UInt64, with hash: UInt64) -> Bool {
    unsafe slot != freed && slot & ~addressMask == tag(hash)
  }

  /// The block of a slot; nil for one that is free or was freed.
  @inline(__always)
  private static func block(_ slot: UInt64) -> AccessBlock? {
    guard unsafe slot != freed, let base = unsafe UnsafeMutableRawPointer(bitPattern: UInt(slot & addressMask)) else {
      return nil
    }
    return unsafe AccessBlock(base: base)
  }
}

// MARK: - Reading

extension CacheShard {
  /// The likely address of the slot at which a search begins, to be brought near. Looks at no table, so that no turn is needed.
  @inline(__always)
  func firstSlot(_ hash: UInt64) -> UnsafeRawPointer? {
    let offset = unsafe (1 + Int(truncatingIfNeeded: hash) & nearbyMask.load(ordering: .relaxed)) * MemoryLayout<UInt64>.size
    return unsafe UnsafeRawPointer(bitPattern: table.load(ordering: .relaxed) &+ UInt(bitPattern: offset))
  }

  /// The first block whose slot agrees with the hash: almost always the customer's. Looks at no block.
  @inline(__always)
  func likelyBlock(_ hash: UInt64) -> AccessBlock? {
    let table = unsafe current
    let mask = unsafe table.mask
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = unsafe table.slot(index).pointee.load(ordering: .acquiring)
      if slot == 0 { return nil }
      if unsafe CacheShard.agrees(slot, with: hash) { return unsafe CacheShard.block(slot) }
      index = (index + 1) & mask
    }
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
    _ block: AccessBlock?, of id: UnsafeRawBufferPointer, hash: UInt64, hashOf: (UnsafeRawBufferPointer) -> UInt64,
    retire: (_ memory: UnsafeMutableRawPointer, _ isBlock: Bool) -> Void
  ) {
    let slot = unsafe block.map { unsafe CacheShard.slot(of: $0, hash: hash) } ?? CacheShard.freed
    if let found = unsafe find(id, hash: hash) {
      unsafe found.slot.pointee.store(slot, ordering: .releasing)
      unsafe retire(found.block.base, true)
      if unsafe block == nil { unsafe customerCount.subtract(1, ordering: .relaxed) }
    } else if unsafe block != nil {
      unsafe growIfNeeded(hashOf: hashOf, retire: retire)
      unsafe CacheShard.insert(slot, hash: hash, into: current)
      unsafe usedCount.add(1, ordering: .relaxed)
      unsafe customerCount.add(1, ordering: .relaxed)
    }
  }

  private static func slot(of block: AccessBlock, hash: UInt64) -> UInt64 {
    let address = unsafe UInt64(UInt(bitPattern: block.base))
    precondition(unsafe address & ~addressMask == 0, "addresses of user space have 48 bits")
    return unsafe tag(hash) | address
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
    hashOf: (UnsafeRawBufferPointer) -> UInt64, retire: (_ memory: UnsafeMutableRawPointer, _ isBlock: Bool) -> Void
  ) {
    let old = unsafe current
    let capacity = unsafe old.mask + 1
    guard unsafe (usedCount.load(ordering: .relaxed) + 1) * 4 > capacity * 3 else { return }
    let newCapacity = unsafe count * 2 >= capacity ? capacity * 2 : capacity
    let new = unsafe Table.make(capacity: newCapacity)
    unsafe blocks().forEach { block in
      let hash = unsafe hashOf(block.id)
      unsafe CacheShard.insert(CacheShard.slot(of: block, hash: hash), hash: hash, into: new)
    }
    unsafe usedCount.store(count, ordering: .relaxed)
    unsafe table.store(UInt(bitPattern: new.base), ordering: .releasing)
    unsafe nearbyMask.store(newCapacity - 1, ordering: .relaxed)
    unsafe retire(UnsafeMutableRawPointer(old.base), false)
  }
}
