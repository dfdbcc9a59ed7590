import TestSupport
import Testing

@testable import Entitlements

struct IdentifierTests {
  /// Texts of few letters, so that many have a beginning in common.
  private func text(_ random: inout SeededRandom, of letters: [Character]) -> String {
    String((0..<Int.random(in: 0...20, using: &random)).map { _ in letters.randomElement(using: &random) ?? "0" })
  }

  @Test("Ids compare as their bytes do", arguments: 1...4 as ClosedRange<UInt64>)
  func bytes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let (one, other) = (text(&random, of: ["a", "é", "\u{7F}"]), text(&random, of: ["a", "é", "\u{7F}"]))
      // Half of the pairs differ late, or not at all.
      let another = Bool.random(using: &random) ? other : String(one.dropLast(Int.random(in: 0...2, using: &random)))
      #expect((Identifier(one) == Identifier(another)) == one.utf8.elementsEqual(another.utf8))
      #expect((Identifier(one) < Identifier(another)) == one.utf8.lexicographicallyPrecedes(another.utf8))
    }
  }

  @Test(
    "An id gives the bytes of its text, however it is kept",
    arguments: [
      "", "0", "7", "10", "007", "9999999999999999999", "18446744073709551615", "2000000012345678",
      "0f0e0d0c-0b0a-0908-0706-050403020100", "0F0E0D0C-0B0A-0908-0706-050403020100", "Zoë 🗝",
    ])
  func textBytes(text: String) {
    let id = Identifier(text)
    #expect(id.text == text)
    #expect(id.withBytes { bytes in bytes.indices.map { bytes[$0] } } == Array(text.utf8))
  }

  @Test(
    "The words of an id are its bytes, eight by eight, and zeros behind them",
    arguments: [
      "", "7", "12345678", "9223372036854775807", "18446744073709551615", "007", "0f0e0d0c-0b0a-0908-0706-050403020100",
      "ABCDEF01-2345-6789-ABCD-EF0123456789", "a", "seven77", "éíghtby", "sixteen letters!", "seventeen letters",
      String(repeating: "x", count: 128),
    ])
  func words(of text: String) {
    var words: [UInt64] = [1]
    Identifier(text).appendWords(to: &words)
    #expect(words.removeFirst() == 1)
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    let count = text.utf8.count
    #expect(words.count == (count + 7) / 8)
    #expect(bytes.prefix(count).elementsEqual(text.utf8) && bytes.dropFirst(count).allSatisfy { $0 == 0 })
  }

  @Test("Ids that are canonically equivalent, but not the same bytes, are two")
  func canonicalEquivalence() {
    let marks = ("a\u{0302}\u{0323}", "a\u{0323}\u{0302}")
    #expect(marks.0 == marks.1 && Identifier(marks.0) != Identifier(marks.1))
    #expect(Identifier("é") != Identifier("e\u{0301}"))
  }

  @Test(
    "Transaction ids compare as numbers where both are all digits, and else by bytes", arguments: 1...4 as ClosedRange<UInt64>)
  func numbers(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<20_000 {
      let (one, other) = (text(&random, of: ["0", "1", "9"]), text(&random, of: ["0", "1", "9"]))
      let isLesser = Identifier(one).isLesserTransactionID(than: Identifier(other))
      // Twenty digits of 0, 1 and 9 fit into 128 bits.
      if let mine = UInt128(one), let theirs = UInt128(other), mine != theirs {
        #expect(isLesser == (mine < theirs))
      } else {
        #expect(isLesser == one.utf8.lexicographicallyPrecedes(other.utf8))
      }
    }
    #expect(Identifier("x10").isLesserTransactionID(than: "x9"))
    #expect(!Identifier("10").isLesserTransactionID(than: "9"))
  }
}
