/// Cuts a long input into its objects, chunk by chunk: one object, objects one after the other (a line each or not), or arrays
/// of objects.
///
/// It finds where an object ends and leaves judging its inside to `JSONDocument`. Behind a malformed place it goes on at the next
/// line that begins with an object and is indented no deeper than the malformed one, so that the rest is still done.
package struct JSONSplitter: Sendable {
  /// What the input holds next.
  package enum Step: Equatable, Sendable {
    /// One object, and the line on which it begins.
    case object([UInt8], line: Int)
    /// Something that is no object, or an object without an end. The next step lies behind it.
    case malformed(JSONError)
    /// Everything that was appended is used up.
    case needsMore
    /// The input was finished and is used up.
    case end
  }

  /// Where in the input the next byte stands, when it isn't inside an object.
  private enum Place { case outside, arrayStart, afterElement, afterComma, afterMalformedElement }

  private let sizeLimit: Int
  private var buffer: [UInt8] = []
  /// What lies before it is used up.
  private var position = 0
  private var line = 1
  private var column = 1
  private var place = Place.outside
  /// The object that begins at `position`, as far as it was scanned.
  private var extent: JSONExtent?
  /// While lines are skipped: the last column at which the next object may begin.
  private var skippingToColumn: Int?
  private var isIndentation = false
  private var isFinished = false

  /// - Parameter sizeLimit: the most bytes of one object; a longer one is malformed.
  package init(sizeLimit: Int = JSONDocument.defaultSizeLimit) { self.sizeLimit = sizeLimit }

  /// Appends the next bytes of the input.
  package mutating func append(_ bytes: some Sequence<UInt8>) {
    buffer.removeFirst(position)
    position = 0
    buffer += bytes
  }

  /// Says that no bytes follow.
  package mutating func finish() { isFinished = true }

  /// The next object or malformed place.
  package mutating func next() -> Step {
    while position < buffer.count {
      if extent != nil {
        return scanObject()
      } else if let limit = skippingToColumn {
        skip(toColumn: limit)
      } else if let step = passBetweenObjects() {
        return step
      }
    }
    guard isFinished else { return .needsMore }
    guard place == .outside || place == .afterMalformedElement else {
      place = .outside
      return .malformed(JSONError(message: "the array is not closed", line: line, column: column))
    }
    return .end
  }

  /// Goes on with the object at `position`.
  private mutating func scanObject() -> Step {
    guard var extent else { return .needsMore }
    while position + extent.length < buffer.count {
      let progress = extent.take(buffer[position + extent.length])
      if case .broken(let reason) = progress { return malformed("the object that begins here is malformed: \(reason)") }
      guard extent.length <= sizeLimit else { return malformed("the object that begins here has more than \(sizeLimit) bytes") }
      guard progress == .complete else { continue }
      let step = Step.object(Array(buffer[position..<position + extent.length]), line: line)
      if place != .outside { place = .afterElement }
      self.extent = nil
      for _ in 0..<extent.length { advance() }
      return step
    }
    self.extent = extent
    return isFinished ? malformed("the object that begins here is not closed") : .needsMore
  }

  /// Takes one byte between objects; a step only where it may not stand there.
  private mutating func passBetweenObjects() -> Step? {
    let byte = buffer[position]
    switch (byte, place) {
    case (0x20, _), (0x0A, _), (0x0D, _), (0x09, _): break
    case (UInt8(ascii: "{"), .outside), (UInt8(ascii: "{"), .arrayStart), (UInt8(ascii: "{"), .afterComma),
      (UInt8(ascii: "{"), .afterMalformedElement):
      extent = JSONExtent()
      return nil
    case (UInt8(ascii: "["), .outside): place = .arrayStart
    case (UInt8(ascii: ","), .afterElement), (UInt8(ascii: ","), .afterMalformedElement): place = .afterComma
    case (UInt8(ascii: "]"), .arrayStart), (UInt8(ascii: "]"), .afterElement), (UInt8(ascii: "]"), .afterMalformedElement):
      place = .outside
    default: return malformed(place == .afterElement ? "expected a comma or the end of the array" : "expected an object")
    }
    advance()
    return nil
  }

  /// Gives up what begins at `position`, and its line.
  private mutating func malformed(_ message: String) -> Step {
    extent = nil
    skippingToColumn = column
    isIndentation = false
    if place != .outside { place = .afterMalformedElement }
    return .malformed(JSONError(message: message, line: line, column: column))
  }

  /// Skips one byte, or ends skipping where a line begins with an object, or with an array that starts anew.
  private mutating func skip(toColumn limit: Int) {
    let byte = buffer[position]
    let isOpening = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    if isIndentation, isOpening, column <= limit {
      if byte == UInt8(ascii: "[") { place = .outside }
      skippingToColumn = nil
      return
    }
    isIndentation = byte == UInt8(ascii: "\n") || (isIndentation && (byte == 0x20 || byte == 0x09))
    advance()
  }

  private mutating func advance() {
    let byte = buffer[position]
    position += 1
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if byte & 0b1100_0000 != 0b1000_0000 {
      column += 1
    }
  }
}
