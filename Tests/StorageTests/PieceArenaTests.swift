import TestSupport
import Testing

@testable import Storage

struct PieceArenaTests {
  @Test(
    "Pieces are as long as was asked, aligned, and share no byte with another one that is in use",
    arguments: [1, 2, 3] as [UInt64])
  func disjoint(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var arena = unsafe PieceArena()
    var used: [(base: UnsafeMutablePointer<UInt8>, count: Int, mark: UInt8)] = unsafe []
    for round in 0..<20_000 {
      if unsafe used.count > 500 || (round % 3 == 0 && !used.isEmpty) {
        let gone = unsafe used.remove(at: Int.random(in: 0..<used.count, using: &random))
        #expect(unsafe (0..<gone.count).allSatisfy { unsafe gone.base[$0] == gone.mark })
        unsafe arena.free(gone.base, gone.count)
      } else {
        let count = round % 50 == 0 ? Int.random(in: 1...300_000, using: &random) : Int.random(in: 1...1_200, using: &random)
        let piece = unsafe arena.allocate(count)
        #expect(UInt(bitPattern: piece) % 16 == 0)
        let base = unsafe piece.bindMemory(to: UInt8.self, capacity: count)
        let mark = UInt8(truncatingIfNeeded: round)
        unsafe base.initialize(repeating: mark, count: count)
        unsafe used.append((base, count, mark))
      }
    }
  }

  @Test("A piece that was given back serves the next of its size")
  func reused() {
    var arena = unsafe PieceArena()
    for byteCount in [1, 16, 17, 120, 1_024, 1_025, 65_536, 3 << 20] {
      let piece = unsafe arena.allocate(byteCount)
      unsafe arena.free(piece, byteCount)
      #expect(unsafe arena.allocate(byteCount) == piece)
    }
  }

  @Test("Pieces of whole lines begin with a line, whatever else was given between them", arguments: [1, 2] as [UInt64])
  func lines(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var arena = unsafe PieceArena()
    for _ in 0..<5_000 {
      _ = unsafe arena.allocate(Int.random(in: 1...3_000, using: &random))
      let piece = unsafe arena.allocate(64 * Int.random(in: 1...16, using: &random))
      #expect(UInt(bitPattern: piece) % 64 == 0)
    }
  }

  @Test("A large piece that was given back is cut up for small ones before more memory is asked for")
  func cutUp() {
    var arena = unsafe PieceArena()
    // What is left of the chunk for small pieces is used up by them.
    let large = unsafe arena.allocate(1 << 20)
    unsafe arena.free(large, 1 << 20)
    let pieces = (0..<3 << 11).map { _ in unsafe UInt(bitPattern: arena.allocate(1_024)) }
    let inLarge = pieces.filter { UInt(bitPattern: large) <= $0 && $0 < UInt(bitPattern: large) + 1 << 20 }
    #expect(Set(inLarge).count == 1_024)
  }
}
