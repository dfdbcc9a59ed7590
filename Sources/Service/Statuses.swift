import Entitlements
import LatchkeyWire
import Protobuf
import Storage

extension StoreError {
  /// The status that says so on the wire.
  var status: Status {
    switch self {
    case .refused(.invalid): Status(.invalidArgument, description)
    case .refused(.notFound): Status(.notFound, description)
    case .refused(.precondition), .catalogRefused: Status(.failedPrecondition, description)
    case .deadlineExceeded: Status(.deadlineExceeded, description)
    case .overloaded: .overloaded(description, retryAfterMilliseconds: 100)
    case .readOnly: .overloaded(description, retryAfterMilliseconds: 1_000)
    case .outcomeUnknown: Status(.unknown, description)
    case .closed: Status(.unavailable, description)
    case .notKept: Status(.outOfRange, description)
    case .busy: Status(.aborted, description)
    case .givenUp: Status(.cancelled, description)
    case .journal(.tooLarge): Status(.invalidArgument, description)
    case .journal(.failed): Status(.unknown, description)
    case .journal: Status(.internal, description)
    }
  }
}

extension Refusal {
  /// The status that says so on the wire.
  var status: Status { StoreError.refused(self).status }
}
