import LatchkeyClient
import LatchkeyWire

/// What an operator tells a running server.
extension Command {
  static let snapshot = Command(
    name: "snapshot", summary: "has the server write a snapshot now, so that its next start is short",
    options: Option.working, example: "latchkey snapshot",
    action: .concurrent { arguments in
      let snapshot = try await arguments.latchkey().takeSnapshot(deadline: arguments.patience)
      arguments.show(snapshot) {
        snapshot.bytes == 0
          ? "a snapshot of revision \(snapshot.revision) is there already"
          : "revision \(snapshot.revision), \(counted(snapshot.bytes, "byte"))"
      }
      return .success
    })

  static let reload = Command(
    name: "reload", summary: "has the server read its catalog again, as SIGHUP does",
    options: Option.working, example: "latchkey reload",
    action: .concurrent { arguments in
      let reloaded = try await arguments.latchkey().reloadConfiguration(deadline: arguments.patience)
      arguments.show(reloaded) {
        "\(counted(reloaded.products, "product")), \(counted(reloaded.customers, "customer")) folded again, "
          + "at revision \(reloaded.revision)"
      }
      return .success
    })

  static let health = Command(
    name: "health", summary: "asks whether a server takes work",
    options: [.connect, .deadline, .json],
    statuses: [(.success, "SERVING"), (.no, "not serving"), (.failure, "usage, or the server can't be reached")],
    example: "latchkey health --connect 127.0.0.1:7450",
    action: .concurrent { arguments in
      let status = try await arguments.latchkey().health()
      arguments.show(HealthCheckResponse.with { $0.status = status }) { status.description }
      return status == .serving ? .success : .no
    })
}
