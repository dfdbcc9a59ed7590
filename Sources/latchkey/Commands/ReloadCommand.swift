import LatchkeyClient

extension Command {
  static let reload = Command(
    name: "reload", summary: "has the server read its catalog again, as SIGHUP does",
    options: [.force] + Option.working, example: "latchkey reload",
    action: .concurrent { arguments in
      let reloaded = try await arguments.latchkey().reloadConfiguration(
        force: arguments.has(.force), deadline: arguments.patience)
      arguments.show(reloaded) {
        "\(counted(reloaded.products, "product")), \(counted(reloaded.customers, "customer")) folded again, "
          + "at revision \(reloaded.revision)"
      }
      return .success
    })
}

extension Option {
  fileprivate static let force = Option(flag: "--force", "takes the catalog, however many customers it takes something from")
}
