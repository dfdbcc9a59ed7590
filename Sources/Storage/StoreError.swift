import Entitlements
import Journaling

/// Why the store didn't do what it was asked.
package enum StoreError: Error, CustomStringConvertible {
  /// Against the rules; nothing changed.
  case refused(Refusal)
  /// The deadline had passed before the work began; nothing changed.
  case deadlineExceeded
  /// Too many recordings wait; nothing changed, and it is worth trying again in a moment.
  case overloaded
  /// The disk is full: nothing changed, checks go on, and recordings too as soon as there is room.
  case readOnly(String)
  /// Nobody knows whether the recording is on the disk. Sending it again is safe.
  case outcomeUnknown(String)
  /// The store is closing; nothing changed.
  case closed
  /// A work of which there is one at a time is under way already.
  case busy(String)
  /// Whoever asked for a long work doesn't want it any more.
  case givenUp
  /// A catalog that would cut too many customers; it is as it was.
  case catalogRefused(CatalogRefusal)
  /// A question about a moment before what the kept journal can tell; with the oldest one that it can, if there is one.
  case notKept(oldest: Moment?)
  /// What is stored can't be read, or not be written.
  case journal(JournalError)

  package var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .deadlineExceeded: "the deadline passed before the work began; nothing was done"
    case .overloaded: "too many recordings wait; try again in a moment"
    case .readOnly(let reason): "the disk is full, so nothing can be recorded until there is room: \(reason)"
    case .outcomeUnknown(let reason): "it isn't known whether this was recorded: \(reason). Sending it again is safe"
    case .closed: "the server is shutting down"
    case .busy(let work): "\(work) is under way; try again when it is done"
    case .givenUp: "the client gave the work up"
    case .notKept(let oldest):
      oldest.map { "the kept journal tells what was known from \($0.iso8601) on" }
        ?? "nothing was recorded since the oldest snapshot that is kept, so the journal can't tell what was known when"
    case .catalogRefused(let refusal): refusal.description
    case .journal(let error): error.description
    }
  }
}
