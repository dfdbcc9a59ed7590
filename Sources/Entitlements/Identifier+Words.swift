// The bytes of ids in words of eight, as they are kept side by side and compared.

extension Identifier {
  /// How many words the bytes of the id fill.
  package var wordCount: Int { (byteCount + 7) / 8 }

  /// Adds the bytes of the id in words of eight, of which the first byte is the lowest; the last word is filled with zeros.
  package func appendWords(to words: inout [UInt64]) {
    switch form {
    case .uuid(let bits, let letters): bits.appendWords(in: letters, to: &words)
    case .text(let text): text.utf8.span.appendWords(to: &words)
    case .number: text.utf8.span.appendWords(to: &words)
    }
  }
}

extension UUIDBits {
  fileprivate func appendWords(in letters: LetterCase, to words: inout [UInt64]) {
    let letterStart = UInt8(ascii: letters == .lower ? "a" : "A")
    var rest = self
    var word: UInt64 = 0
    for place in 0..<UUIDBits.textByteCount {
      var byte = UInt8(ascii: "-")
      if !UUIDBits.isDash(place) {
        let digit = UInt8(truncatingIfNeeded: rest.high >> 60)
        byte = digit < 10 ? UInt8(ascii: "0") + digit : letterStart + (digit - 10)
        rest.high = rest.high << 4 | rest.low >> 60
        rest.low <<= 4
      }
      word |= UInt64(byte) << UInt64(place % 8 * 8)
      guard place % 8 == 7 || place == UUIDBits.textByteCount - 1 else { continue }
      words.append(word)
      word = 0
    }
  }
}

extension Span<UInt8> {
  fileprivate func appendWords(to words: inout [UInt64]) {
    for index in 0..<(count + 7) / 8 { words.append(word(at: index)) }
  }

  /// Eight bytes as a word, of which the first byte is the lowest; where they end earlier, zeros stand behind them.
  func word(at index: Int) -> UInt64 {
    let start = index * 8
    if start + 8 <= count {
      return unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    var word: UInt64 = 0
    for place in (start..<count).reversed() { word = word << 8 | UInt64(self[place]) }
    return word
  }
}
