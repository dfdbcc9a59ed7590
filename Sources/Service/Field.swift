import Entitlements
import LatchkeyWire
import Protobuf
import Storage

/// A request's fields as values of the domain. What can never be right throws `INVALID_ARGUMENT` and names the field.
enum Field {
  /// Takes an id of 1 to 128 bytes.
  static func id(_ text: String, named name: String) throws(Status) -> Identifier {
    if text.isEmpty { throw Status(.invalidArgument, "\(name): is missing or empty") }
    let id = Identifier(text)
    guard id.isAcceptable else {
      throw Status(
        .invalidArgument, "\(name): an id has at most \(Identifier.byteLimit) bytes, this one has \(text.utf8.count)")
    }
    return id
  }

  /// Takes a moment of the years 1970 to 9999; 0 stands for none.
  static func moment(_ milliseconds: Int64, named name: String) throws(Status) -> Moment? {
    if milliseconds == 0 { return nil }
    let moment = Moment(milliseconds: milliseconds)
    guard Moment.accepted.contains(moment) else {
      throw Status(.invalidArgument, "\(name): \(milliseconds) ms is outside the years 1970 to 9999")
    }
    return moment
  }

  /// Takes an environment to look something up in; nil where none is named.
  static func environment(_ number: LatchkeyWire.Environment) throws(Status) -> Entitlements.Environment? {
    if number == .unspecified { return nil }
    guard number.name != nil, number != .other else {
      throw Status(.invalidArgument, "environment: \(number) is no environment to look in; leave it out for the server's own")
    }
    return Environment(number, raw: "")
  }

  /// Refuses a text that is longer than a word of Apple's may be.
  static func checkWord(_ text: String, named name: @autoclosure () -> String) throws(Status) {
    guard text.utf8.count <= Recording.wordLimit else {
      throw Status(.invalidArgument, "\(name()): has \(text.utf8.count) bytes, and at most \(Recording.wordLimit) are taken")
    }
  }

  /// Refuses a raw word beside a number that already says another one.
  ///
  /// A number that this version doesn't know may have one.
  static func checkRaw<Number: OpenEnumeration>(
    _ raw: String, beside number: Number, other: Number, named name: @autoclosure () -> String
  ) throws(Status) {
    if raw.isEmpty { return }
    try checkWord(raw, named: name())
    guard number == other || number.name == nil else {
      throw Status(.invalidArgument, "\(name()): belongs with \(other) in the field beside it, which is \(number)")
    }
  }
}
