/// The answer to one question for all moments: decisions, each from a moment on until the next.
package struct Timeline: Hashable, Sendable {
  package private(set) var segments: [Segment] = []

  package struct Segment: Hashable, Sendable, BitwiseCopyable {
    package var from: Moment
    package var decision: Decision

    package init(from: Moment, decision: Decision) {
      self.from = from
      self.decision = decision
    }
  }

  package init() {}

  init(_ segments: [Segment]) { self.segments = segments }

  /// Adds what holds from a moment on, which is not before the last one; merges what is equal.
  package mutating func append(_ decision: Decision, from moment: Moment) {
    if segments.last?.from == moment { segments.removeLast() }
    guard segments.last?.decision != decision else { return }
    segments.append(Segment(from: moment, decision: decision))
  }

  /// The decision at a moment. The first segment begins in the distant past.
  package func decision(at moment: Moment) -> Decision {
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].from <= moment { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? .denied(.neverOwned) : segments[low - 1].decision
  }
}
