/// A point on the way that all answers go: a revision and a moment.
///
/// What a customer may use at a point is a pure function of both, so that a way from one point to another has the same changes
/// whoever walks it, and whenever. Points are ordered by revision, then by time.
package struct ChangePosition: Hashable, Comparable, Sendable {
  package var revision: UInt64
  /// Milliseconds since 1970.
  package var time: Int64

  package init(revision: UInt64, time: Int64) {
    self.revision = revision
    self.time = time
  }

  package static func < (one: ChangePosition, other: ChangePosition) -> Bool {
    (one.revision, one.time) < (other.revision, other.time)
  }
}
