import TestSupport
import Testing

@testable import Benching

/// The calls that wait, and the places that they take, against plain collections.
struct CallsInFlightTests {
  private static func call(_ due: Int) -> CallsInFlight.Call { .init(kind: .check, due: UInt64(due), sent: UInt64(due)) }

  @Test("answers in any order find their calls, each once", arguments: UInt64(1)...6) func anyOrder(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var calls = CallsInFlight()
    var waiting: [UInt32: Int] = [:]
    for number in 0..<5_000 {
      if waiting.count < 200, !random.oneIn(3) {
        let id = calls.nextID
        #expect(id.map { waiting[$0] } == .some(nil))
        calls.add(Self.call(number))
        if let id { waiting[id] = number }
      } else if let (id, due) = waiting.randomElement(using: &random) {
        #expect(calls.remove(id) == Self.call(due))
        #expect(calls.remove(id) == nil)
        waiting[id] = nil
      }
      #expect(calls.count == waiting.count)
      #expect(calls.oldest?.due == waiting.values.min().map { UInt64($0) })
    }
    #expect(calls.all.map(\.due) == waiting.values.sorted().map { UInt64($0) })
  }

  @Test("answers without an id belong to the calls in order") func inOrder() {
    var calls = CallsInFlight()
    for number in 0..<100 { calls.add(Self.call(number)) }
    #expect((0..<100).allSatisfy { calls.remove(nil) == Self.call($0) })
    #expect(calls.remove(nil) == nil)
  }

  @Test("ids are odd and rise from 1", arguments: [0, 2, 3, 4_294_967_295] as [UInt32]) func ids(strange: UInt32) {
    var calls = CallsInFlight()
    #expect(calls.nextID == 1)
    calls.add(Self.call(0))
    #expect(calls.nextID == 3)
    #expect(calls.remove(strange) == nil)
    #expect(calls.remove(1) != nil)
  }

  @Test("places are taken in turns, and as many as there are") func places() {
    var places = FreePlaces(connections: 3, depth: 2)
    #expect((0..<6).map { _ in places.take() } == [0, 1, 2, 0, 1, 2])
    #expect(places.isEmpty && !places.areAllFree)
    for connection in [1, 1, 0] { places.putBack(connection) }
    #expect([places.take(), places.take()] == [1, 1])
    for connection in [2, 2, 0, 1, 1] { places.putBack(connection) }
    #expect(places.areAllFree)
  }
}
