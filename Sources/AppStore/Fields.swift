import Entitlements
import JSON

/// Apple's fields as values of the domain. Each throws an error that names the field and its line.
extension JSONReader {
  /// The most bytes of a text that is kept as it is: the limit of an id.
  static let textLimit = Identifier.byteLimit

  /// A text of 1 to 128 bytes.
  func text() throws(JSONError) -> String {
    let text = try string()
    guard (1...JSONReader.textLimit).contains(text.utf8.count) else {
      throw error("expected 1 to \(JSONReader.textLimit) bytes, found \(text.utf8.count)")
    }
    return text
  }

  /// An id: a string, never a number, of 1 to 128 bytes.
  func identifier() throws(JSONError) -> Identifier { Identifier(try text()) }

  /// A word of Apple's, known or not, of at most 128 bytes.
  func word<Word: AppleWord>(_: Word.Type = Word.self) throws(JSONError) -> Word { Word(text: try text()) }

  /// A moment in milliseconds since 1970, in the years 1970 to 9999.
  func moment() throws(JSONError) -> Moment { try moment(milliseconds: try integer("an integer of milliseconds")) }

  /// A moment from its milliseconds, checked against the years 1970 to 9999.
  func moment(milliseconds: Int64) throws(JSONError) -> Moment {
    let moment = Moment(milliseconds: milliseconds)
    guard Moment.accepted.contains(moment) else {
      throw error("expected milliseconds of the years 1970 to 9999, found \(milliseconds)")
    }
    return moment
  }

  /// A number of things, of which there can't be fewer than none.
  func count() throws(JSONError) -> Int64 {
    let count = try integer()
    guard count >= 0 else { throw error("expected a count, found the negative \(count)") }
    return count
  }

  /// Thousandths of a percent: Apple's 100,000 is 100 %.
  func percentage() throws(JSONError) -> Int32 {
    let thousandths = try count()
    guard let percentage = Int32(exactly: thousandths), percentage <= 100_000 else {
      throw error("expected at most 100000 (100 %), found \(thousandths)")
    }
    return percentage
  }

  /// A small code of Apple's.
  func code() throws(JSONError) -> Int32 {
    let integer = try integer()
    guard let code = Int32(exactly: integer) else { throw error("expected a 32-bit integer, found \(integer)") }
    return code
  }

  /// A revocation reason: a number in the server API, a name in StoreKit.
  func revocationReason() throws(JSONError) -> RevocationReason {
    switch value.content {
    case .string: try word()
    default: RevocationReason(text: String(try integer("an integer or a name")))
    }
  }

  /// An object that Apple signs, in its decoded form.
  ///
  /// - Throws: for a string, with the reason why the server takes none.
  func decodedObject() throws(JSONError) -> JSONReader {
    switch value.content {
    case .object: return self
    case .string: throw error(JSONReader.undecoded)
    default: throw expected("the decoded object")
    }
  }

  /// Why a signed payload (a JWS) is refused.
  static let undecoded =
    "expected the decoded object, found a string: this server takes decoded payloads and doesn't verify Apple's signatures, "
    + "so verify and decode the signed payload first"
}

/// What no rule uses yet of an Apple object.
enum OtherFields {
  /// The members but the known ones and those that are null, as one compact object; nil where there are none, or more than
  /// `Recording.otherFieldsLimit` bytes of them, which is a warning.
  static func kept(
    of object: JSONReader, except known: Set<String>, name: String, warnings: inout [String]
  ) throws(JSONError) -> String? {
    let others = try object.members().filter { !known.contains($0.key) && $0.value.content != .null }
    if others.isEmpty { return nil }
    let text = JSONValue.object(others).compact
    let (size, limit) = (text.utf8.count, Recording.otherFieldsLimit)
    if size <= limit { return text }
    warnings.append("\(name): its other fields have \(size) bytes, more than \(limit), and are dropped")
    return nil
  }
}
