/// A value that is copied only where it is changed while another copy is there.
///
/// Copying a long value with many texts counts references to all of them; copying this one counts a single one.
struct SharedValue<Value: Sendable>: @unchecked Sendable {
  // Proof for @unchecked: a place is changed only by who alone refers to it, so that nobody reads it meanwhile.
  private final class Place {
    @safe @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var place: Place

  init(_ value: consuming Value) { place = Place(value) }

  var value: Value {
    _read { yield place.value }
    _modify {
      if !isKnownUniquelyReferenced(&place) { place = Place(place.value) }
      yield &place.value
    }
  }
}

extension SharedValue: Equatable where Value: Equatable {
  static func == (one: SharedValue, other: SharedValue) -> Bool { one.place === other.place || one.value == other.value }
}

extension SharedValue: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
