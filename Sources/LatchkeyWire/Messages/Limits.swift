import Protobuf

/// The limits that a server tells its clients in the answer to Hello.
public struct Limits: Message {
  // Each field carries the constant of the same name below.
  public var frameBytes: UInt32 = 0
  public var requestsInFlight: UInt32 = 0
  public var checksInBatch: UInt32 = 0
  public var idBytes: UInt32 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint32(1, "frame_bytes", &frameBytes)
    try visitor.uint32(2, "requests_in_flight", &requestsInFlight)
    try visitor.uint32(3, "checks_in_batch", &checksInBatch)
    try visitor.uint32(4, "id_bytes", &idBytes)
  }
}

extension Limits {
  /// How many bytes of data one frame may carry, its header not counted: 4 MiB.
  public static let frameBytes = 4 << 20

  /// How many bytes of data a frame may carry before its connection has authenticated, where tokens are asked for: 16 KiB.
  public static let frameBytesBeforeAuthentication = 16 << 10

  /// How many requests of one connection may be unanswered at a time.
  public static let requestsInFlight = 4_096

  /// How many watches a server may have running at a time, over all connections; they count among the requests in flight, too.
  public static let watches = 4_096

  /// How many customers, and how many entitlements, one watch may name.
  public static let namesInWatch = 1_000

  /// How many checks one batch may hold.
  public static let checksInBatch = 1_000

  /// How many bytes of UTF-8 an id or the name of an entitlement may have. It has one at least.
  @inlinable public static var idBytes: Int { 128 }

  /// How many entries one page of a history may hold.
  public static let historyEntriesInPage = 1_000

  /// How many lines each list of a report may hold, and how many revocations a leak report lists at most.
  public static let linesInReport = 1_000

  /// How many revocations a leak report lists where the request doesn't say.
  public static let leaksInReport = 100

  /// How many elements the repeated fields of one message may hold together.
  @inlinable public static var elementsInMessage: Int { DecodingLimits.elements }

  /// What a server with these limits tells its clients.
  public static var published: Limits {
    .with {
      $0.frameBytes = UInt32(frameBytes)
      $0.requestsInFlight = UInt32(requestsInFlight)
      $0.checksInBatch = UInt32(checksInBatch)
      $0.idBytes = UInt32(idBytes)
    }
  }
}
