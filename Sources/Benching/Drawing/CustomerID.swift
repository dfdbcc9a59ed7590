/// The id of a customer in the form of a random UUID, which is what backends mostly have: 36 bytes of text.
package struct CustomerID: Equatable, Sendable {
  /// How many bytes its text has.
  package static let byteCount = 36

  private let high: UInt64
  private let low: UInt64

  /// Makes an id of 128 bits, of which six say version 4 and the variant of RFC 9562.
  package init(high: UInt64, low: UInt64) {
    self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// The id as text, in lower case.
  package var text: String {
    var bytes = [UInt8](repeating: 0, count: CustomerID.byteCount)
    write(to: &bytes, at: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes the text over the 36 bytes from an offset on.
  package func write(to bytes: inout [UInt8], at offset: Int) {
    var text = bytes.mutableSpan
    var place = offset
    for half in 0..<2 {
      let bits = half == 0 ? high : low
      for digit in 0..<16 {
        if CustomerID.standsBehindHyphen(digit + half * 16) {
          text[place] = UInt8(ascii: "-")
          place += 1
        }
        let nibble = UInt8(truncatingIfNeeded: bits >> UInt64(60 - 4 * digit)) & 0xF
        text[place] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        place += 1
      }
    }
  }

  private static func standsBehindHyphen(_ digit: Int) -> Bool { digit == 8 || digit == 12 || digit == 16 || digit == 20 }
}
