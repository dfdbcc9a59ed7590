import Entitlements
import Platform
import Synchronization

/// One shard of the cache: an open-addressing table from the hash of a customer's id to the customer's block.
///
/// A slot holds 16 bits of the hash above a 48-bit address; 0 is free, 1 was freed. Readers go through the table without a lock:
/// a slot changes with one atomic store, and a table or block that was replaced is freed only when no reader is in a turn that
/// began before. One thread at a time writes.
@unsafe struct CacheShard {
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

  private let table: UnsafeMutablePointer<Atomic<UInt>>
  private var used = 0
  /// How many customers are in the table.
  private(set) var count = 0

  init() {
    unsafe table = .allocate(capacity: 1)
    let first = unsafe Table.make(capacity: CacheShard.smallestCapacity)
    unsafe table.initialize(to: Atomic(UInt(bitPattern: first.base)))
  }

  /// Every block of the table.
  func blocks() -> [AccessBlock] {
    let table = unsafe current
    var blocks: [AccessBlock] = unsafe []
    for index in unsafe 0...table.mask {
      let slot = unsafe table.slot(index).pointee.load(ordering: .relaxed)
      if unsafe slot != CacheShard.freed, let block = unsafe CacheShard.block(slot) { unsafe blocks.append(block) }
    }
    return unsafe blocks
  }

  /// Frees the table and every block.
  func free() {
    unsafe blocks().forEach { unsafe $0.base.deallocate() }
    unsafe current.base.deallocate()
    unsafe self.table.deallocate()
  }

  @inline(__always)
  private var current: Table {
    let address = unsafe table.pointee.load(ordering: .acquiring)
    guard let base = unsafe UnsafeMutablePointer<Atomic<UInt64>>(bitPattern: address) else {
      preconditionFailure("a shard has a table")
    }
    return unsafe Table(base: base)
  }

  @inline(__always)
  private static func tag(_ hash: UInt64) -> UInt64 { unsafe hash & ~addressMask }

  @inline(__always)
  private static func block(_ slot: UInt64) -> AccessBlock? {
    guard let base = unsafe UnsafeMutableRawPointer(bitPattern: UInt(slot & addressMask)) else { return nil }
    return unsafe AccessBlock(base: base)
  }
}

// MARK: - Reading

extension CacheShard {
  /// The address of the slot at which a search begins, to be brought near.
  @inline(__always)
  func firstSlot(_ hash: UInt64) -> UnsafeRawPointer {
    let table = unsafe current
    return unsafe UnsafeRawPointer(table.slot(Int(truncatingIfNeeded: hash) & table.mask))
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
      if unsafe slot != CacheShard.freed && slot & ~CacheShard.addressMask == CacheShard.tag(hash) {
        return unsafe CacheShard.block(slot)
      }
      index = (index + 1) & mask
    }
  }

  /// The block of a customer.
  func block(of id: UnsafeRawBufferPointer, hash: UInt64) -> AccessBlock? {
    guard let index = unsafe index(of: id, hash: hash) else { return nil }
    return unsafe CacheShard.block(current.slot(index).pointee.load(ordering: .acquiring))
  }

  private func index(of id: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
    let table = unsafe current
    let mask = unsafe table.mask
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = unsafe table.slot(index).pointee.load(ordering: .acquiring)
      if slot == 0 { return nil }
      if unsafe slot != CacheShard.freed && slot & ~CacheShard.addressMask == CacheShard.tag(hash),
        let block = unsafe CacheShard.block(slot), unsafe block.isOf(id)
      {
        return index
      }
      index = (index + 1) & mask
    }
  }
}

// MARK: - Writing

extension CacheShard {
  /// Puts a block in the place of the customer's, or takes the customer out. What was replaced goes to `retire`.
  mutating func set(
    _ block: AccessBlock?, of id: UnsafeRawBufferPointer, hash: UInt64, hashOf: (UnsafeRawBufferPointer) -> UInt64,
    retire: (UnsafeMutableRawPointer) -> Void
  ) {
    let slot: UInt64
    if let block = unsafe block {
      let address = unsafe UInt64(UInt(bitPattern: block.base))
      precondition(unsafe address & ~CacheShard.addressMask == 0, "addresses of user space have 48 bits")
      slot = unsafe CacheShard.tag(hash) | address
    } else {
      slot = unsafe CacheShard.freed
    }
    if let index = unsafe index(of: id, hash: hash) {
      let place = unsafe current.slot(index)
      let old = unsafe place.pointee.exchange(slot, ordering: .acquiringAndReleasing)
      if let old = unsafe CacheShard.block(old) { unsafe retire(old.base) }
      if unsafe block == nil { unsafe count -= 1 }
    } else if unsafe block != nil {
      unsafe growIfNeeded(hashOf: hashOf, retire: retire)
      unsafe CacheShard.insert(slot, hash: hash, into: current)
      unsafe used += 1
      unsafe count += 1
    }
  }

  /// Takes the first free slot. One that was freed is left alone until the table is made anew, so that searches stay simple.
  private static func insert(_ slot: UInt64, hash: UInt64, into table: Table) {
    let mask = unsafe table.mask
    var index = Int(truncatingIfNeeded: hash) & mask
    while unsafe table.slot(index).pointee.load(ordering: .relaxed) != 0 { index = (index + 1) & mask }
    unsafe table.slot(index).pointee.store(slot, ordering: .releasing)
  }

  /// Makes a table with room at three quarters full.
  private mutating func growIfNeeded(hashOf: (UnsafeRawBufferPointer) -> UInt64, retire: (UnsafeMutableRawPointer) -> Void) {
    let old = unsafe current
    let capacity = unsafe old.mask + 1
    guard unsafe (used + 1) * 4 > capacity * 3 else { return }
    let new = unsafe Table.make(capacity: count * 2 >= capacity ? capacity * 2 : capacity)
    for index in 0..<capacity {
      let slot = unsafe old.slot(index).pointee.load(ordering: .relaxed)
      guard unsafe slot != CacheShard.freed, let block = unsafe CacheShard.block(slot) else { continue }
      unsafe CacheShard.insert(slot, hash: hashOf(block.id), into: new)
    }
    unsafe used = count
    unsafe table.pointee.store(UInt(bitPattern: new.base), ordering: .releasing)
    unsafe retire(UnsafeMutableRawPointer(old.base))
  }
}
