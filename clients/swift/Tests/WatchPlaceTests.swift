import LatchkeyWire
import Testing

@testable import LatchkeyClient

/// Which events of a watch a reader gets, and where it goes on.
struct WatchPlaceTests {
  private func change(_ customer: String, _ revision: UInt64, isLast: Bool) -> WatchEvent {
    .with {
      $0.position = WatchPosition(revision: revision, timeMilliseconds: 1)
      $0.change = .with { $0.customerID = customer }
      $0.checkpoint = isLast
    }
  }

  private func read(_ place: inout WatchPlace) -> [String] {
    var customers: [String] = []
    while let event = place.next() { customers.append(event.change?.customerID ?? "") }
    return customers
  }

  @Test("the changes of a position are read together, and those of one that was cut off are told again") func wholePositions() {
    var place = WatchPlace(.with { $0.entitlements = ["pro"] })
    place.take(change("ana", 1, isLast: true))
    #expect(read(&place) == ["ana"])
    place.take(change("ben", 2, isLast: false))
    #expect(read(&place) == [])
    #expect(
      place.resumption
        == .with {
          $0.entitlements = ["pro"]
          $0.from = WatchPosition(revision: 1, timeMilliseconds: 1)
        })
    place.take(change("ben", 2, isLast: false))
    place.take(change("carla", 2, isLast: true))
    #expect(read(&place) == ["ben", "carla"])
    #expect(place.resumption?.from?.revision == 2)
  }

  @Test("present answers are read as they come, and a watch that is cut off among them isn't resumed") func present() {
    var place = WatchPlace(.with { $0.snapshotFirst = true })
    place.take(change("ana", 1, isLast: false))
    #expect(read(&place) == ["ana"])
    #expect(place.resumption == nil)
    place.take(
      .with {
        $0.position = WatchPosition(revision: 1, timeMilliseconds: 1)
        ($0.checkpoint, $0.snapshotEnd) = (true, true)
      })
    #expect(read(&place) == [""])
    #expect(place.resumption?.snapshotFirst == false)
    #expect(place.resumption?.from?.revision == 1)
  }
}
