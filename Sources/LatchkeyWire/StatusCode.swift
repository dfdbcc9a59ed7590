import Protobuf

/// How a call ended: gRPC's status codes, by number and name. Section "Statuses" of `PROTOCOL.md` says what each means here.
public struct StatusCode: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let ok = StatusCode(rawValue: 0)
  public static let cancelled = StatusCode(rawValue: 1)
  public static let unknown = StatusCode(rawValue: 2)
  public static let invalidArgument = StatusCode(rawValue: 3)
  public static let deadlineExceeded = StatusCode(rawValue: 4)
  public static let notFound = StatusCode(rawValue: 5)
  public static let alreadyExists = StatusCode(rawValue: 6)
  public static let permissionDenied = StatusCode(rawValue: 7)
  public static let resourceExhausted = StatusCode(rawValue: 8)
  public static let failedPrecondition = StatusCode(rawValue: 9)
  public static let aborted = StatusCode(rawValue: 10)
  public static let outOfRange = StatusCode(rawValue: 11)
  public static let unimplemented = StatusCode(rawValue: 12)
  public static let `internal` = StatusCode(rawValue: 13)
  public static let unavailable = StatusCode(rawValue: 14)
  public static let dataLoss = StatusCode(rawValue: 15)
  public static let unauthenticated = StatusCode(rawValue: 16)

  public static let names: [(value: StatusCode, name: String)] = [
    (.ok, "OK"),
    (.cancelled, "CANCELLED"),
    (.unknown, "UNKNOWN"),
    (.invalidArgument, "INVALID_ARGUMENT"),
    (.deadlineExceeded, "DEADLINE_EXCEEDED"),
    (.notFound, "NOT_FOUND"),
    (.alreadyExists, "ALREADY_EXISTS"),
    (.permissionDenied, "PERMISSION_DENIED"),
    (.resourceExhausted, "RESOURCE_EXHAUSTED"),
    (.failedPrecondition, "FAILED_PRECONDITION"),
    (.aborted, "ABORTED"),
    (.outOfRange, "OUT_OF_RANGE"),
    (.unimplemented, "UNIMPLEMENTED"),
    (.internal, "INTERNAL"),
    (.unavailable, "UNAVAILABLE"),
    (.dataLoss, "DATA_LOSS"),
    (.unauthenticated, "UNAUTHENTICATED"),
  ]
}

extension Status: Error {
  /// Makes a status from a code and what a person should read.
  public init(_ code: StatusCode, _ message: String = "") {
    self.code = code
    self.message = message
  }

  /// Makes the status of a server that has too much to do, with the wait after which another try may succeed.
  public static func overloaded(_ limit: String, retryAfterMilliseconds: Int) -> Status {
    Status(.resourceExhausted, "\(limit); retry after \(retryAfterMilliseconds) ms")
  }
}
