import Platform

/// The language of a server that can be loaded: calls to bytes, and bytes to answers.
package protocol Dialect: Sendable {
  /// How the server is called in a summary.
  static var name: String { get }
  /// The calls that it knows.
  static var kinds: Set<CallKind> { get }

  init()

  /// A call as bytes, to be filled in for each.
  /// - Parameter batch: how many customers a batch asks about.
  func prepared(_ kind: CallKind, batch: Int) -> PreparedRequest

  /// The calls that fill a server with what a household holds.
  /// - Parameter now: milliseconds since 1970.
  func filling(_ household: Population.Household, of population: Population, at now: Int64) -> [PreparedRequest]

  /// Finds the next whole answer at an offset; nil if more bytes must come first.
  /// - Throws: ``BrokenConversation`` for bytes that are none.
  func answer(in bytes: RawSpan, at offset: Int) throws(BrokenConversation) -> Answer?

  /// Counts what an answer to a call that went well says about customers.
  func count(
    _ answer: Answer, to kind: CallKind, in bytes: RawSpan, into verdicts: inout Verdicts
  ) throws(BrokenConversation)

  /// The name of the status with which a call failed.
  func failure(of answer: Answer, in bytes: RawSpan) throws(BrokenConversation) -> String
}

/// Where an answer stands, and whether its call went well.
package struct Answer: Equatable, Sendable {
  /// The id of the call that it answers; nil: the one that waits longest.
  package var call: UInt32?
  /// What it says, in the bytes.
  package var body: Range<Int>
  /// Where it ends in the bytes.
  package var end: Int
  /// Whether the call failed; the body says how.
  package var isFailure = false
}

/// How often customers were allowed and denied.
package struct Verdicts: Equatable, Sendable {
  package var allowed = 0
  /// Known, but denied.
  package var denied = 0
  /// Of whom the server knows nothing.
  package var unknown = 0
  /// The failures of single checks in a batch, by the name of their status.
  package var failures: [String: Int] = [:]

  package init() {}

  /// Adds what others counted.
  package mutating func add(_ other: Verdicts) {
    allowed += other.allowed
    denied += other.denied
    unknown += other.unknown
    if !other.failures.isEmpty { failures.merge(other.failures, uniquingKeysWith: +) }
  }
}

/// Why a connection can't be used any more, in words.
package struct BrokenConversation: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension RawSpan {
  /// The byte at an offset; traps outside the span.
  func byte(at offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
}
