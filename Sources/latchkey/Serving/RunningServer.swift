import Entitlements
import Glibc
import Platform
import Server
import Service
import Storage

/// A server that takes requests: the store, the service that answers from it, and the sockets.
struct RunningServer {
  private let store: EntitlementStore
  private let service: EntitlementService
  private let server: Server<ServiceHandler>

  /// How long requests in flight may take once the server is to end.
  private static let drainBound: Duration = .seconds(10)

  var endpoint: Endpoint { server.endpoint }

  /// Recovers the store and begins to listen.
  init(_ configuration: ServerConfiguration) throws {
    let loadCatalog = configuration.catalogPath.map { path in { @Sendable () throws in try Catalog(file: path) } }
    Console.log("latchkey \(Version.text) opens \(configuration.dataDirectory)")
    store = try EntitlementStore.open(
      configuration.dataDirectory, settings: configuration.settings, catalog: try loadCatalog?(),
      progress: { Console.log($0) },
      onFailure: { error in
        Console.log("stops, because its disk failed: \(error)")
        // Nothing may run on: what is on the disk isn't known any more.
        _exit(ExitStatus.diskFailed.rawValue)
      })
    for warning in store.recovery.warnings { Console.log("warning: \(warning)") }
    Console.log("recovered to revision \(store.revision)")
    service = EntitlementService(
      store: store, version: Version.text, countsChecks: configuration.countsChecks, loadCatalog: loadCatalog)
    var options = ServerOptions()
    options.loops = configuration.loops
    do throws(ServerError) {
      server = try Server(on: configuration.endpoint, options: options, handler: ServiceHandler(service: service))
    } catch {
      throw Failure("can't listen: \(error). Choose another address with --listen, or port 0 for a free one.")
    }
    Console.log("listens on \(server.endpoint) with \(counted(configuration.loops, "loop"))")
  }

  /// Reads the catalog again; if it is wrong, says so and leaves the old one in place.
  func reloadCatalog() {
    do throws(ReloadError) {
      let reloaded = try service.reload()
      Console.log("the catalog was read again: \(counted(reloaded.products, "product")), at revision \(reloaded.revision)")
    } catch {
      Console.log("the catalog stays as it was: \(error)")
    }
  }

  /// Finishes what was accepted, and leaves everything on the disk with a snapshot of it.
  func end() throws {
    Console.log("ends: takes no more requests")
    service.stopServing()
    server.drain(within: RunningServer.drainBound)
    try store.close()
    Console.log("ended with everything on the disk, at revision \(store.revision)")
  }
}
