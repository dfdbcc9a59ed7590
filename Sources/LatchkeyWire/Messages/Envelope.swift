import Protobuf

/// The data of a request frame: which method is called, with what, and for how long.
public struct Request: Message {
  public var service = ""
  public var method = ""
  public var payload: [UInt8] = []
  public var timeoutNanoseconds: Int64 = 0
  public var metadata: [KeyValue] = []
  /// Latchkey's own: may stand instead of service and method.
  public var methodNumber: UInt32 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "service", &service)
    try visitor.string(2, "method", &method)
    try visitor.bytes(3, "payload", &payload)
    try visitor.int64(4, "timeout_nano", &timeoutNanoseconds)
    try visitor.messages(5, "metadata", &metadata)
    try visitor.uint32(15, "method_number", &methodNumber)
  }
}

/// The data of a response frame.
public struct Response: Message {
  /// How the call ended; absent when it went well.
  public var status: Status?
  public var payload: [UInt8] = []

  /// The number of ``payload``.
  @inlinable static var payloadNumber: Int { 2 }

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.message(1, "status", &status)
    try visitor.bytes(2, "payload", &payload)
  }
}

/// How a call ended; google.rpc.Status as far as it is used. Its code is an int32 in the schema, which is encoded like an enumeration.
public struct Status: Message {
  public var code = StatusCode()
  public var message = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.enumeration(1, "code", &code)
    try visitor.string(2, "message", &message)
  }
}

/// One pair of a request's metadata.
public struct KeyValue: Message {
  public var key = ""
  public var value = ""

  public init() {}

  /// Makes a pair; keys are lower-case.
  public init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "key", &key)
    try visitor.string(2, "value", &value)
  }
}
