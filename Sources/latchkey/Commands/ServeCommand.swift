import Platform

extension Command {
  static let serve = Command(
    name: "serve", summary: "runs a server until SIGTERM or SIGINT; SIGHUP has it read its catalog again",
    options: ServerConfiguration.options,
    statuses: [
      (.success, "ended by a signal, with everything on the disk"), (.failure, "usage, or it couldn't start"),
    ] + ExitStatus.troubles,
    example: "latchkey serve --data ./latchkey-data --catalog catalog.json",
    action: .blocking { arguments in
      Allocator.sharesOnePool()
      let configuration = try ServerConfiguration(arguments)
      // Before any other thread, since threads inherit the mask that holds the signals back.
      let orders = try Orders()
      let server = try RunningServer(configuration)
      Console.sayAtOnce("listening on \(server.endpoint)")
      orders.begin()
      while orders.next() == .reload { server.reloadCatalog() }
      try server.end()
      return .success
    })
}
