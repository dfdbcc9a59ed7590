import Entitlements
import LatchkeyWire
import Storage

extension StoreError {
  /// The status that says so on the wire.
  var status: Status {
    switch self {
    case .refused(.invalid): Status(.invalidArgument, description)
    case .refused(.precondition): Status(.failedPrecondition, description)
    case .deadlineExceeded: Status(.deadlineExceeded, description)
    case .overloaded: .overloaded(description, retryAfterMilliseconds: 100)
    case .readOnly: .overloaded(description, retryAfterMilliseconds: 1_000)
    case .outcomeUnknown: Status(.unknown, description)
    case .closed: Status(.unavailable, description)
    case .busy: Status(.failedPrecondition, description)
    case .journal(.tooLarge): Status(.invalidArgument, description)
    case .journal: Status(.internal, description)
    }
  }
}

extension Refusal {
  var status: Status { StoreError.refused(self).status }
}

/// What of a request's fields can never be right.
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
}
