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
  private let server: Server
  private let snapshots: AutomaticSnapshots
  /// The server, once it listens, for the disk's failure to end.
  private let listening = Guarded<Server?>(nil)

  /// How long requests in flight may take once the server is to end.
  private static let drainBound: Duration = .seconds(10)
  /// How long it may take to tell those who wait that the disk failed.
  private static let failureBound: Duration = .seconds(1)

  var endpoint: Endpoint { server.endpoint }

  /// Recovers the store and begins to listen.
  init(_ configuration: ServerConfiguration) throws {
    let loadCatalog = configuration.catalogPath.map { path in { @Sendable () throws in try Catalog(file: path) } }
    Console.log("latchkey \(Version.text) opens \(configuration.dataDirectory)")
    store = try RunningServer.open(configuration, catalog: try loadCatalog?(), listening: listening)
    for warning in store.recovery.warnings { Console.log("warning: \(warning)") }
    Console.log("recovered to revision \(store.revision)")
    service = EntitlementService(
      store: store, version: Version.text, watching: configuration.watching, countsChecks: configuration.countsChecks,
      loadCatalog: loadCatalog,
      catalogCutLimit: configuration.catalogCutLimit)
    var options = ServerOptions()
    options.loops = configuration.loops
    do throws(ServerError) {
      server = try Server(on: configuration.endpoint, options: options) { [service] in ServiceHandler(service) }
    } catch {
      throw Failure("can't listen: \(error). Choose another address with --listen, or port 0 for a free one.")
    }
    listening.withLock { [server] in $0 = server }
    let timing = configuration.snapshotTiming
    snapshots = try AutomaticSnapshots(
      of: store, afterBytes: timing.afterBytes, everySeconds: timing.everySeconds, report: { Console.log($0) })
    Console.log("listens on \(server.endpoint) with \(counted(configuration.loops, "loop"))")
  }

  private static func open(
    _ configuration: ServerConfiguration, catalog: Catalog?, listening: Guarded<Server?>
  ) throws -> EntitlementStore {
    do throws(StoreError) {
      return try EntitlementStore.open(
        configuration.dataDirectory, settings: configuration.settings, catalog: catalog,
        cutLimit: configuration.forcesCatalog ? .none : configuration.catalogCutLimit,
        keptJournalDays: configuration.keptJournalDays, watching: configuration.watching.window, progress: { Console.log($0) },
        onFailure: { error in
          Console.log("stops, because its disk failed: \(error)")
          // Those whose recordings wait hear that their outcome is unknown. Nothing else may run on: what is on the disk isn't known.
          listening.withLock { $0 }?.drain(within: RunningServer.failureBound)
          _exit(ExitStatus.diskFailed.rawValue)
        })
    } catch .catalogRefused(let refusal) {
      throw Failure(
        "\(refusal). Start without --catalog to keep the one before, or with --force-catalog to take it all the same.")
    }
  }

  /// Reads the catalog again; if it is wrong or cuts too many customers, says so and leaves the old one in place.
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
    snapshots.end()
    try store.close()
    listening.withLock { $0 = nil }
    Console.log("ended with everything on the disk, at revision \(store.revision)")
  }
}
