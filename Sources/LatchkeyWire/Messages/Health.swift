import Protobuf

/// Asks the standard health service; an absent service means the whole server.
public struct HealthCheckRequest: Message {
  public var service = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "service", &service)
  }
}

/// Says whether the server takes work.
public struct HealthCheckResponse: Message {
  public var status = ServingStatus()

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.enumeration(1, "status", &status)
  }
}

/// The health of a service.
public struct ServingStatus: OpenEnumeration {
  public let rawValue: Int32

  @inlinable
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let unknown = ServingStatus(rawValue: 0)
  public static let serving = ServingStatus(rawValue: 1)
  public static let notServing = ServingStatus(rawValue: 2)
  public static let serviceUnknown = ServingStatus(rawValue: 3)

  public static let names: [(value: ServingStatus, name: String)] = [
    (.unknown, "UNKNOWN"),
    (.serving, "SERVING"),
    (.notServing, "NOT_SERVING"),
    (.serviceUnknown, "SERVICE_UNKNOWN"),
  ]
}
