import Testing

@testable import Entitlements

/// Ids on both sides of what is kept as a number.
let idsOfAllForms = [
  "", "0", "1", "7", "07", "10", "9999999999999999999", "10000000000000000000", "18446744073709551615", "18446744073709551616",
  "2000000123456789", "4611686018427387903", "4611686018427387904", "12a", "-1", "+1", " 1", "1 ", "١٢",
  "0f0e0d0c-0b0a-0908-0706-050403020100", "0F0E0D0C-0B0A-0908-0706-050403020100", "0f0e0d0c-0b0a-0908-0706-05040302010A",
  "00000000-0000-0000-0000-000000000000", "11111111-1111-1111-1111-111111111111", "0f0e0d0c-0b0a-0908-0706-05040302010",
  "0f0e0d0c-0b0a-0908-0706_050403020100", "0f0e0d0c0b0a-0908-0706-0504030201000", "g0e0d0c0-0b0a-0908-0706-050403020100",
  "anna", "eight bb", "ninebytes", "Ä", "é", "e\u{0301}", "a\u{0}b", String(repeating: "x", count: 128),
  String(repeating: "é", count: 64),
]

struct TextStoreTests {
  @Test("An id in any form has the bytes that it was made of", arguments: idsOfAllForms)
  func bytes(text: String) {
    let id = Identifier(text)
    #expect(Array(id.text.utf8) == Array(text.utf8))
    #expect(id.byteCount == text.utf8.count)
    #expect(id.isEmpty == text.isEmpty)
  }

  @Test("Ids of all forms are equal and in order as their bytes are", arguments: idsOfAllForms)
  func comparisons(text: String) {
    for other in idsOfAllForms {
      #expect((Identifier(text) == Identifier(other)) == text.utf8.elementsEqual(other.utf8), "\(other)")
      #expect((Identifier(text) < Identifier(other)) == text.utf8.lexicographicallyPrecedes(other.utf8), "\(other)")
    }
  }

  @Test("What is kept is found and given back as it was, beside all others")
  func packing() {
    var store = TextStore()
    let packed = idsOfAllForms.map { store.pack(Identifier($0)) }
    for (place, text) in zip(packed, idsOfAllForms) {
      #expect(Array(store.unpack(place).text.utf8) == Array(text.utf8))
      for other in idsOfAllForms {
        #expect(store.isEqual(place, Identifier(other)) == text.utf8.elementsEqual(other.utf8), "\(text) beside \(other)")
      }
    }
  }

  @Test("What was given back makes room for the next of its length, and its bytes are gone")
  func freeing() {
    var store = TextStore()
    let (anna, uuid) = (store.pack("somebody whose name isn't to stay"), store.pack("0f0e0d0c-0b0a-0908-0706-050403020100"))
    store.free(anna)
    store.free(uuid)
    store.free(store.pack("12"))
    #expect(store.unpack(anna).text.utf8.allSatisfy { $0 == 0 })
    #expect(store.pack("whoever comes next, of equal size") == anna)
    #expect(store.pack("1f0e0d0c-0b0a-0908-0706-050403020100") == uuid)
  }
}
