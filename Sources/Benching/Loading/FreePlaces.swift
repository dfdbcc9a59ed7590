/// The places for calls that are free: as many for each connection as calls of it may be in flight.
///
/// They are taken in the order in which they became free, so that all connections are used alike.
struct FreePlaces {
  /// The connections of the free places, in a ring that has room for all places.
  private var ring: [Int32]
  private var first = 0
  private var count: Int

  init(connections: Int, depth: Int) {
    ring = (0..<connections * depth).map { Int32($0 % connections) }
    count = ring.count
  }

  var isEmpty: Bool { count == 0 }
  var areAllFree: Bool { count == ring.count }

  /// Takes a place, and gives its connection.
  mutating func take() -> Int {
    precondition(count > 0, "no place is free")
    let connection = ring[first]
    first = first + 1 == ring.count ? 0 : first + 1
    count -= 1
    return Int(connection)
  }

  /// Gives back a place of a connection.
  mutating func putBack(_ connection: Int) {
    precondition(count < ring.count, "all places are free")
    let end = first + count
    ring[end < ring.count ? end : end - ring.count] = Int32(connection)
    count += 1
  }
}
