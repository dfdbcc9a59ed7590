import JSON
import LatchkeyWire

/// What came of the documents of one input.
struct RecordTally: Sendable {
  private(set) var outcomes: [String: Int] = [:]
  private(set) var failed = 0
  private(set) var changeCount = 0
  /// The first changes, in words.
  private(set) var changes: [String] = []

  /// How many changes are told one by one.
  private static let changeLimit = 20

  var recorded: Int { outcomes.values.reduce(0, +) }

  mutating func add(_ response: RecordTransactionResponse) {
    outcomes[response.outcome.description, default: 0] += 1
    changeCount += response.changes.count
    changes += response.changes.prefix(max(0, RecordTally.changeLimit - changes.count)).map(\.inWords)
  }

  mutating func addFailure() { failed += 1 }

  /// The changes, and a summary by outcome in the last line.
  var inWords: String {
    let counts = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" } + (failed > 0 ? ["\(failed) failed"] : [])
    let more = changeCount > changes.count ? ["and \(counted(changeCount - changes.count, "more change"))"] : []
    let summary = "recorded \(counted(recorded, "document"))" + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
    return (changes + more + [summary]).joined(separator: "\n")
  }

  var json: JSONValue {
    let outcomes = self.outcomes.sorted { $0.key < $1.key }.map {
      JSONValue.Member(key: $0.key, value: .integer(Int64($0.value)))
    }
    return [
      "recorded": .integer(Int64(recorded)), "failed": .integer(Int64(failed)), "outcomes": .object(outcomes),
      "changes": .integer(Int64(changeCount)),
    ]
  }
}
