import LatchkeyClient
import LatchkeyWire
import Protobuf

extension Command {
  static let watch = Command(
    name: "watch", summary: "prints each change of an answer as it happens, until it is interrupted",
    options: [.watchedCustomer, .watchedEntitlement, .from, .snapshotFirst, .connect, .json],
    statuses: [(.failure, "usage or error: a watch has no other end than an interruption")],
    example: "latchkey watch --entitlement pro --snapshot-first",
    action: .concurrent { arguments in
      let request = try WatchChangesRequest(arguments)
      let latchkey = try arguments.latchkey()
      defer { latchkey.close() }
      for try await event in latchkey.watchChanges(request) {
        if arguments.has(.json) {
          Console.sayAtOnce(JSONPrinter.print(event))
        } else if let line = event.inWords {
          Console.sayAtOnce(line)
        }
      }
      return .failure
    })
}

extension WatchChangesRequest {
  fileprivate init(_ arguments: Arguments) throws(UsageError) {
    self.init()
    customerIDs = arguments.texts(.watchedCustomer)
    entitlements = arguments.texts(.watchedEntitlement)
    snapshotFirst = arguments.has(.snapshotFirst)
    from = try arguments.value(.from, expecting: "a position such as 42@2026-03-01T00:00:00Z") { WatchPosition(words: $0) }
  }
}

extension WatchPosition {
  /// Reads what `inWords` gives; the time may be milliseconds since 1970, too.
  init?(words: String) {
    let parts = words.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let revision = UInt64(parts[0]) else { return nil }
    guard let time = Int64(parts[1]) ?? Time(iso8601: String(parts[1]))?.milliseconds else { return nil }
    self.init(revision: revision, timeMilliseconds: time)
  }

  /// The position as `--from` takes it.
  var inWords: String { "\(revision)@\(timeMilliseconds.inUTC)" }
}

extension WatchEvent {
  /// A line for a change and for the end of the present answers; nil for a mere checkpoint.
  fileprivate var inWords: String? {
    let place = position?.inWords ?? ""
    if snapshotEnd { return "\(place) these are the present answers; what changes follows" }
    guard let change else { return nil }
    let answer = latchkey.inWords(allowed: change.allowed, reason: change.reason, validUntil: change.validUntilMilliseconds)
    return "\(place) \(change.customerID): \(change.entitlement) \(answer)"
  }
}

extension Option {
  fileprivate static let watchedCustomer = Option(
    "--customer", "ID", "watches this customer", defaultMeaning: "everyone", isRepeatable: true)
  fileprivate static let watchedEntitlement = Option(
    "--entitlement", "NAME", "watches this entitlement", defaultMeaning: "all", isRepeatable: true)
  fileprivate static let from = Option(
    "--from", "REVISION@TIME", "goes on after this position, as a line or the JSON of an event has it", defaultMeaning: "now")
  fileprivate static let snapshotFirst = Option(flag: "--snapshot-first", "prints what is allowed at present first")
}
