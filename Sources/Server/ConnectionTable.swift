/// Names a connection of one loop: its slot, and which of the connections that were ever in that slot.
struct ConnectionKey: Hashable, Sendable {
  let slot: UInt32
  let generation: UInt32

  init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }

  /// Reads what `token` made.
  init(token: UInt64) {
    slot = UInt32(truncatingIfNeeded: token)
    generation = UInt32(truncatingIfNeeded: token >> 32)
  }

  /// The key as the number that travels through the event queue.
  var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
  var index: Int { Int(slot) }
}

/// The open connections of one loop, found by slot.
struct ConnectionTable {
  private(set) var count = 0
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []

  private struct Slot {
    var generation: UInt32 = 0
    var connection: Connection?
  }

  /// The connection of a key; nil when it has been removed, whoever is in its slot now.
  subscript(key: ConnectionKey) -> Connection? {
    guard key.index < slots.count, slots[key.index].generation == key.generation else { return nil }
    return slots[key.index].connection
  }

  /// All open connections, by slot.
  var all: [Connection] { slots.compactMap(\.connection) }

  /// The key that the next connection gets.
  var nextKey: ConnectionKey {
    let slot = freeSlots.last ?? UInt32(slots.count)
    return ConnectionKey(slot: slot, generation: freeSlots.isEmpty ? 0 : slots[Int(slot)].generation)
  }

  /// Puts in a connection that was made with `nextKey`.
  mutating func insert(_ connection: Connection) {
    precondition(connection.key == nextKey, "a connection goes where its key says")
    if freeSlots.popLast() == nil { slots.append(Slot()) }
    slots[connection.key.index].connection = connection
    count += 1
  }

  /// Takes a connection out; its key is never given again before the generations wrap around.
  mutating func remove(_ key: ConnectionKey) {
    slots[key.index].connection = nil
    slots[key.index].generation &+= 1
    freeSlots.append(key.slot)
    count -= 1
  }
}
