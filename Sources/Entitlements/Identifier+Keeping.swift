// An id as a customer's compiled answers keep it.

extension Identifier {
  /// Makes the id that is the text of a UUID.
  package init(_ bits: UUIDBits, in letters: LetterCase) { form = .uuid(bits, letters) }

  /// Its bits and the case of its letters, where it is a UUID.
  package var uuid: (bits: UUIDBits, letters: LetterCase)? {
    if case .uuid(let bits, let letters) = form { (bits, letters) } else { nil }
  }

  /// Adds the bytes of the id in words of eight, of which the first byte is the lowest; the last word is filled with zeros.
  package func appendWords(to words: inout [UInt64]) {
    withBytes { bytes in
      for index in 0..<(bytes.count + 7) / 8 { words.append(bytes.word(at: index)) }
    }
  }
}

extension Span<UInt8> {
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
