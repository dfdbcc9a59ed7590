/// A reply in Redis's serialization protocol, version 2 (RESP2), where it stands in the bytes. Total over any bytes.
package enum RedisReply: Equatable, Sendable {
  /// A line such as `+OK`, without its first byte and its end.
  case simple(Range<Int>)
  /// A line such as `-ERR unknown command`.
  case failure(Range<Int>)
  case integer(Int)
  case bulk(Range<Int>)
  /// A bulk or an array that isn't there.
  case absent
  /// The head of an array of so many replies, which follow.
  case array(count: Int)

  /// The most bytes of a line, its first one included, of a bulk, and elements of an array. A load asks for nothing that has more.
  package static let (lineLimit, bulkLimit, arrayLimit) = (4_096, 1 << 20, 1_000)

  /// Reads one reply at an offset, of an array its head; gives where it ends, or nil if more bytes must come first.
  package static func read(_ bytes: RawSpan, at offset: Int) throws(BrokenConversation) -> (reply: RedisReply, end: Int)? {
    guard let line = try line(bytes, at: offset) else { return nil }
    let end = line.upperBound + 2
    switch bytes.byte(at: offset) {
    case UInt8(ascii: "+"): return (.simple(line), end)
    case UInt8(ascii: "-"): return (.failure(line), end)
    case UInt8(ascii: ":"): return (.integer(try number(line, in: bytes)), end)
    case UInt8(ascii: "*"):
      let count = try number(line, in: bytes)
      guard count <= arrayLimit else { throw BrokenConversation("Redis sent an array of \(count) elements") }
      return (count < 0 ? .absent : .array(count: count), end)
    case UInt8(ascii: "$"):
      let length = try number(line, in: bytes)
      guard length <= bulkLimit else { throw BrokenConversation("Redis sent a value of \(length) bytes") }
      return length < 0 ? (.absent, end) : try bulk(end..<end + length, in: bytes)
    case let byte: throw BrokenConversation("Redis sent a reply that begins with the byte \(byte)")
    }
  }

  /// A bulk's bytes have an end of line behind them.
  private static func bulk(
    _ body: Range<Int>, in bytes: RawSpan
  ) throws(BrokenConversation) -> (reply: RedisReply, end: Int)? {
    let end = body.upperBound + 2
    guard end <= bytes.byteCount else { return nil }
    guard bytes.byte(at: end - 2) == UInt8(ascii: "\r"), bytes.byte(at: end - 1) == UInt8(ascii: "\n") else {
      throw BrokenConversation("Redis sent a value that doesn't end where it should")
    }
    return (.bulk(body), end)
  }

  /// Where the text of the line stands that begins at an offset, behind its first byte; nil if its end must come first.
  private static func line(_ bytes: RawSpan, at offset: Int) throws(BrokenConversation) -> Range<Int>? {
    var index = offset + 1
    while index + 1 < bytes.byteCount {
      let isEnd = bytes.byte(at: index) == UInt8(ascii: "\r") && bytes.byte(at: index + 1) == UInt8(ascii: "\n")
      if isEnd { return offset + 1..<index }
      index += 1
      if index - offset > lineLimit { throw BrokenConversation("Redis sent a line of more than \(lineLimit) bytes") }
    }
    return nil
  }

  /// Reads a decimal of up to 18 digits.
  private static func number(_ line: Range<Int>, in bytes: RawSpan) throws(BrokenConversation) -> Int {
    let isNegative = !line.isEmpty && bytes.byte(at: line.lowerBound) == UInt8(ascii: "-")
    let digits = isNegative ? line.lowerBound + 1..<line.upperBound : line
    guard (1...18).contains(digits.count) else { throw BrokenConversation("Redis sent a number of \(digits.count) digits") }
    var number = 0
    for index in digits {
      let digit = Int(bytes.byte(at: index)) - Int(UInt8(ascii: "0"))
      guard (0...9).contains(digit) else { throw BrokenConversation("Redis sent a number with something else in it") }
      number = number * 10 + digit
    }
    return isNegative ? -number : number
  }
}
