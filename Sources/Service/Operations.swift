import Entitlements
import LatchkeyWire
import Storage

// Hello, the health check, TakeSnapshot and ReloadConfiguration.

extension EntitlementService {
  /// Answers a Hello; returns whether the client understands control frames.
  func answerHello<Reply>(_ call: Call<Reply>) -> Bool {
    guard let request = call.request(HelloRequest.self) else { return false }
    var response = HelloResponse()
    response.serverVersion = version
    response.revision = store.revision
    response.limits = Limits.published
    call.finish(response)
    return request.controlFrames
  }

  /// Answers whether requests are welcome: of the server as a whole, or of the one service that it has.
  func answerHealth<Reply>(_ call: Call<Reply>) {
    guard let request = call.request(HealthCheckRequest.self) else { return }
    if request.service.isEmpty || request.service == Method.checkAccess.service {
      call.finish(health)
    } else {
      call.fail(Status(.notFound, "service: there is no service \(request.service)"))
    }
  }

  /// Takes a snapshot.
  func takeSnapshot<Reply>(_ call: Call<Reply>) {
    guard call.request(TakeSnapshotRequest.self) != nil else { return }
    call.answer { () throws(Status) in
      do throws(StoreError) {
        let taken = try store.takeSnapshot()
        return TakeSnapshotResponse.with {
          $0.revision = taken.revision
          $0.bytes = taken.bytes
        }
      } catch {
        throw error.status
      }
    }
  }

  /// Reads the catalog's file again, journals it, and folds everyone anew.
  func reloadConfiguration<Reply>(_ call: Call<Reply>) {
    guard call.request(ReloadConfigurationRequest.self) != nil else { return }
    call.answer { () throws(Status) in
      do throws(ReloadError) { return try reload() } catch { throw error.status }
    }
  }

  /// Reads the catalog's file again, journals it, and folds everyone anew, while checks go on.
  ///
  /// - Throws: `ReloadError`; the catalog is then as it was.
  package func reload() throws(ReloadError) -> ReloadConfigurationResponse {
    guard let loadCatalog else { throw .noCatalog }
    let catalog: Catalog
    do { catalog = try loadCatalog() } catch { throw .unreadable("\(error)") }
    let applied: Applied
    do throws(StoreError) { applied = try store.submitAndWait(.catalog(catalog)) } catch { throw .store(error) }
    return ReloadConfigurationResponse.with {
      $0.revision = applied.revision
      $0.products = UInt32(catalog.products.count)
      $0.customers = UInt64(store.read { ledger, _ in ledger.everyone.count })
    }
  }
}

/// Why a catalog wasn't taken.
package enum ReloadError: Error, CustomStringConvertible {
  case noCatalog
  case unreadable(String)
  case store(StoreError)

  package var description: String {
    switch self {
    case .noCatalog: "the server was started without a catalog; start it with --catalog FILE"
    case .unreadable(let reason): reason
    case .store(let error): error.description
    }
  }

  var status: Status {
    switch self {
    case .noCatalog, .unreadable: Status(.failedPrecondition, description)
    case .store(let error): error.status
    }
  }
}
