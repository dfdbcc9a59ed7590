import Entitlements
import LatchkeyWire
import Storage

// WatchChanges: what is asked for, and what may be.

extension EntitlementService {
  /// Begins a stream of changes, which `watches` serves from then on.
  func watchChanges(_ call: Call) {
    guard let request = call.request(WatchChangesRequest.self) else { return }
    do throws(Status) {
      try watches.add(call.reply, deadline: call.deadline, try WatchWish(request, now: watches.now))
    } catch {
      call.fail(error)
    }
  }
}

/// What a watch is to give.
struct WatchWish: Sendable {
  var filter: WatchFilter
  var start: WatchArrival.Start

  /// Takes a request.
  ///
  /// - Parameter now: where a watch begins that names no position.
  /// - Throws: `INVALID_ARGUMENT`, which names the field.
  init(_ request: WatchChangesRequest, now: ChangePosition) throws(Status) {
    filter = WatchFilter(
      customers: try WatchWish.names(request.customerIDs, of: "customer_ids"),
      entitlements: try WatchWish.names(request.entitlements, of: "entitlements"))
    guard let from = request.from else {
      start = request.snapshotFirst ? .present : .now(now)
      return
    }
    if request.snapshotFirst {
      throw Status(.invalidArgument, "from: doesn't go with snapshot_first, which begins with the present answers")
    }
    guard from.timeMilliseconds >= 0 else {
      throw Status(.invalidArgument, "from.time_ms: \(from.timeMilliseconds) is before 1970; take a position from an event")
    }
    start = .after(ChangePosition(revision: from.revision, time: from.timeMilliseconds))
  }

  private static func names(_ texts: [String], of field: String) throws(Status) -> Set<Identifier>? {
    if texts.isEmpty { return nil }
    guard texts.count <= Limits.namesInWatch else {
      throw Status(.invalidArgument, "\(field): names \(texts.count), and one watch names at most \(Limits.namesInWatch)")
    }
    var names: Set<Identifier> = []
    for (index, text) in texts.enumerated() { names.insert(try Field.id(text, named: "\(field)[\(index)]")) }
    return names
  }
}

extension WatchFailure {
  /// The status that refuses to begin a watch.
  var refusal: Status {
    switch self {
    case .tooOld(let oldest), .lost(let oldest):
      Status(
        .outOfRange,
        "from: what came right after it isn't kept any more; the oldest position to go on from is \(oldest.inWords). Ask with "
          + "snapshot_first for the present answers, and what changes from then on")
    case .future(let present):
      Status(
        .outOfRange,
        "from: lies in the future of this server, which is at \(present.inWords). Was its data replaced? Ask with snapshot_first "
          + "for the present answers, and what changes from then on")
    }
  }
}

extension ChangePosition {
  /// The position as the fields of a `WatchPosition`.
  var inWords: String { "revision \(revision), time_ms \(max(time, 0))" }
}

extension WatchPosition {
  init(_ position: ChangePosition) { self.init(revision: position.revision, timeMilliseconds: max(position.time, 0)) }
}
