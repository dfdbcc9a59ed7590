import Entitlements
import LatchkeyWire

/// A story of what Apple and devices sent, with what Latchkey must answer; docs/scenarios.md has the format.
struct Scenario: Sendable {
  /// The file that it stands in.
  let file: String
  let name: String
  let settings: Settings
  let catalog: Catalog
  let steps: [Step]

  /// One step, and the line on which it stands.
  struct Step: Sendable {
    let line: Int
    let action: Action
  }

  /// What a step does, with what it expects.
  enum Action: Sendable {
    case record(RecordTransactionRequest, Expectation)
    case check(CheckAccessRequest, ExpectedAnswer)
    case entitlements(ListEntitlementsRequest, are: Set<String>)
    case rebuild(RebuildEntitlementsRequest, corrections: UInt64?)
    case catalog(Catalog)
    case restart(Ending)
    case snapshot
    case report(ExpectedReport)
    case grant(GrantAccessRequest)
  }

  /// How a server is ended before it is started again.
  enum Ending: String, Sendable, CaseIterable {
    case clean
    case kill
  }

  /// What must become of a recording.
  enum Expectation: Sendable {
    case taken(ExpectedOutcome)
    case refused(StatusCode)
  }

  /// What is said of a recording that is taken; nil: anything.
  struct ExpectedOutcome: Sendable {
    var outcome: LatchkeyWire.Outcome?
    var customer: Holder?
    var changes: Set<Change>?
  }

  /// Who holds a transaction.
  enum Holder: Equatable, Sendable {
    case nobody
    case customer(String)
  }

  /// An answer that a recording changed.
  struct Change: Hashable, Sendable {
    let customer: String
    let entitlement: String
    let allowed: Bool
  }

  /// What is said of the answer to a check; nil: anything.
  struct ExpectedAnswer: Sendable {
    let allowed: Bool
    var reason: LatchkeyWire.Reason?
    var ownership: LatchkeyWire.Ownership?
    var validUntil: End?
  }

  /// When access ends.
  enum End: Equatable, Sendable {
    case never
    case at(Int64)
  }

  /// The fields of the refund report that are given.
  struct ExpectedReport: Sendable {
    /// By the names of the schema.
    var counts: [String: Int64] = [:]
    /// In milliunits by currency.
    var amounts: [String: Int64]?
  }
}
