import LatchkeyClient

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
}
