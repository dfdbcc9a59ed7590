import Protobuf

/// A method that a server answers. A request names it by its two strings or by its number.
public enum Method: CaseIterable, Hashable, Sendable {
  case checkAccess
  case checkAccessBatch
  case recordTransaction
  case rebuildEntitlements
  case listEntitlements
  case getHistory
  case explainAccess
  case watchChanges
  case getRefundReport
  case hello
  case takeSnapshot
  case reloadConfiguration
  case grantAccess
  case getLeakReport
  case getConsumption
  case eraseCustomer
  case auditAccess
  case compareCatalog
  case moveCustomer
  case readBackup
  case restoreEntry
  case healthCheck

  /// Finds a method by its number; nil for numbers that no method has.
  @inlinable
  public init?(number: UInt32) {
    switch number {
    case 1: self = .checkAccess
    case 2: self = .checkAccessBatch
    case 3: self = .recordTransaction
    case 4: self = .rebuildEntitlements
    case 5: self = .listEntitlements
    case 6: self = .getHistory
    case 7: self = .explainAccess
    case 8: self = .watchChanges
    case 9: self = .getRefundReport
    case 10: self = .hello
    case 11: self = .takeSnapshot
    case 12: self = .reloadConfiguration
    case 13: self = .grantAccess
    case 14: self = .getLeakReport
    case 15: self = .getConsumption
    case 16: self = .eraseCustomer
    case 18: self = .auditAccess
    case 19: self = .compareCatalog
    case 20: self = .moveCustomer
    case 21: self = .readBackup
    case 22: self = .restoreEntry
    default: return nil
    }
  }

  /// Finds a method by the names of its service and itself.
  public init?(service: String, name: String) {
    guard let method = Self.allCases.first(where: { $0.name == name && $0.service == service }) else { return nil }
    self = method
  }

  /// The number that stands for the two names in a request; nil for the health service's method, which has names alone.
  public var number: UInt32? {
    switch self {
    case .checkAccess: 1
    case .checkAccessBatch: 2
    case .recordTransaction: 3
    case .rebuildEntitlements: 4
    case .listEntitlements: 5
    case .getHistory: 6
    case .explainAccess: 7
    case .watchChanges: 8
    case .getRefundReport: 9
    case .hello: 10
    case .takeSnapshot: 11
    case .reloadConfiguration: 12
    case .grantAccess: 13
    case .getLeakReport: 14
    case .getConsumption: 15
    case .eraseCustomer: 16
    case .auditAccess: 18
    case .compareCatalog: 19
    case .moveCustomer: 20
    case .readBackup: 21
    case .restoreEntry: 22
    case .healthCheck: nil
    }
  }

  /// The full name of the service that has the method.
  public var service: String {
    self == .healthCheck ? "grpc.health.v1.Health" : "latchkey.v1.Entitlements"
  }

  /// The method's name in its service.
  public var name: String {
    switch self {
    case .checkAccess: "CheckAccess"
    case .checkAccessBatch: "CheckAccessBatch"
    case .recordTransaction: "RecordTransaction"
    case .rebuildEntitlements: "RebuildEntitlements"
    case .listEntitlements: "ListEntitlements"
    case .getHistory: "GetHistory"
    case .explainAccess: "ExplainAccess"
    case .watchChanges: "WatchChanges"
    case .getRefundReport: "GetRefundReport"
    case .hello: "Hello"
    case .takeSnapshot: "TakeSnapshot"
    case .reloadConfiguration: "ReloadConfiguration"
    case .grantAccess: "GrantAccess"
    case .getLeakReport: "GetLeakReport"
    case .getConsumption: "GetConsumption"
    case .eraseCustomer: "EraseCustomer"
    case .auditAccess: "AuditAccess"
    case .compareCatalog: "CompareCatalog"
    case .moveCustomer: "MoveCustomer"
    case .readBackup: "ReadBackup"
    case .restoreEntry: "RestoreEntry"
    case .healthCheck: "Check"
    }
  }

  /// Whether the method answers a stream of messages instead of one.
  public var isStreaming: Bool { self == .rebuildEntitlements || self == .watchChanges }
}

extension Request {
  /// Makes the request of a call, its method named by number where it has one.
  ///
  /// - Parameter timeoutNanoseconds: how long the caller waits; 0 sets no deadline.
  public init(_ method: Method, _ message: some Message, timeoutNanoseconds: Int64 = 0) {
    if let number = method.number {
      methodNumber = number
    } else {
      service = method.service
      self.method = method.name
    }
    payload = message.encoded()
    self.timeoutNanoseconds = timeoutNanoseconds
  }
}

extension Response {
  /// Makes the response of a call that went well.
  public init(_ message: consuming some Message) { self.init(encoded: message.encoded()) }

  /// Makes the response of a call that went well, of the bytes of its message.
  public init(encoded message: [UInt8]) { payload = message }

  /// Makes the response of a call that failed.
  public init(_ status: Status) {
    self.status = status
  }
}
