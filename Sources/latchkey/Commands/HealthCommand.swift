import LatchkeyClient
import LatchkeyWire

extension Command {
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
