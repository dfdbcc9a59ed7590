/// The id of a transaction in the form of Apple's: digits, here eighteen of them.
package struct TransactionID: Equatable, Sendable {
  /// How many bytes its text has.
  package static let byteCount = 18

  private let number: UInt64

  /// Makes an id of any number; those that are the same but for a multiple of 900,000,000,000,000,000 give the same one.
  package init(_ number: UInt64) { self.number = 100_000_000_000_000_000 + number % 900_000_000_000_000_000 }

  /// The id as text.
  package var text: String { String(number) }

  /// Writes the text over the 18 bytes from an offset on.
  package func write(to bytes: inout [UInt8], at offset: Int) {
    var rest = number
    for place in (offset..<offset + TransactionID.byteCount).reversed() {
      bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
  }
}
