import LatchkeyClient

extension Command {
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
}
