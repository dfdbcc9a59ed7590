/// A call that a load makes.
package enum CallKind: UInt8, CaseIterable, Sendable {
  /// CheckAccess of one customer; Redis: GET.
  case check
  /// CheckAccessBatch of several customers; Redis: MGET.
  case batch
  /// RecordTransaction of a purchase that is new; Redis: SET.
  case record
  /// ListEntitlements.
  case list
  /// GetHistory, the first page.
  case history
  /// ExplainAccess.
  case explain

  /// Its name in a mix and in a summary.
  package var name: String { String(describing: self) }
}

/// Which calls a load makes, and how often each.
package struct CallMix: Equatable, Sendable {
  /// The greatest weight of a call.
  package static let weightLimit = 1_000_000

  /// Each call at most once, its weight more than 0.
  package let weights: [(kind: CallKind, weight: Int)]
  private let total: Int

  /// Reads calls with whole weights, such as `check=99,history=1`, or one call alone; nil for anything else.
  package init?(_ text: String) {
    var weights: [(kind: CallKind, weight: Int)] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let kind = CallKind.allCases.first(where: { $0.name == parts[0] }), !weights.contains(where: { $0.kind == kind }),
        let weight = parts.count > 1 ? Int(parts[1]) : 1, (1...CallMix.weightLimit).contains(weight)
      else { return nil }
      weights.append((kind, weight))
    }
    self.weights = weights
    total = weights.reduce(0) { $0 + $1.weight }
  }

  /// The mix as it is written on a command line.
  package var text: String { weights.map { "\($0.kind.name)=\($0.weight)" }.joined(separator: ",") }

  /// The next call, drawn by the weights.
  package func next(_ random: inout RandomNumbers) -> CallKind {
    if weights.count == 1 { return weights[0].kind }
    var rest = random.next(below: total)
    for (kind, weight) in weights {
      if rest < weight { return kind }
      rest -= weight
    }
    preconditionFailure("the draw is below the sum of the weights")
  }

  package static func == (one: CallMix, other: CallMix) -> Bool { one.text == other.text }
}
