import Protobuf

/// Opens a conversation: names the client and authenticates the connection.
public struct HelloRequest: Message {
  /// The client as `name/version`, for the server's log.
  public var clientName = ""
  /// This client understands GOAWAY, and may send CANCEL.
  public var controlFrames = false
  /// The bearer token that authenticates the connection.
  public var token = ""

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "client_name", &clientName)
    try visitor.bool(2, "control_frames", &controlFrames)
    try visitor.string(3, "token", &token)
  }
}

/// Tells the client what it talks to.
public struct HelloResponse: Message {
  public var serverVersion = ""
  public var revision: UInt64 = 0
  public var limits: Limits?

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.string(1, "server_version", &serverVersion)
    try visitor.uint64(2, "revision", &revision)
    try visitor.message(3, "limits", &limits)
  }
}

/// Asks for a snapshot of the store now.
public struct TakeSnapshotRequest: Message {
  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {}
}

/// Says what the snapshot holds.
public struct TakeSnapshotResponse: Message {
  public var revision: UInt64 = 0
  public var bytes: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.uint64(2, "bytes", &bytes)
  }
}

/// Asks the server to read its catalog and settings again.
public struct ReloadConfigurationRequest: Message {
  /// Takes the catalog whatever it cuts.
  public var force = false

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.bool(1, "force", &force)
  }
}

/// Says what the reload changed.
public struct ReloadConfigurationResponse: Message {
  public var revision: UInt64 = 0
  public var products: UInt32 = 0
  /// Whose entitlements were folded again.
  public var customers: UInt64 = 0

  public init() {}

  @inlinable
  public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
    try visitor.uint64(1, "revision", &revision)
    try visitor.uint32(2, "products", &products)
    try visitor.uint64(3, "customers", &customers)
  }
}
