import AppStore
import Entitlements
import JSON
import LatchkeyWire
import Platform
import Storage

// CompareCatalog and ReloadConfiguration.

extension EntitlementService {
  /// Says what another catalog would give to customers and take from them now, and changes nothing.
  func compareCatalog(_ call: Call) {
    guard let request = call.request(CompareCatalogRequest.self) else { return }
    call.answer { () throws(Status) in
      let catalog = try catalog(of: request)
      do throws(StoreError) {
        let turns = Turns(isGivenUp: { call.reply.isCancelled })
        let (difference, revision) = try store.difference(with: catalog, at: wallMoment, turns: turns)
        return CompareCatalogResponse(difference, limit: catalogCutLimit, revision: revision)
      } catch {
        throw error.status
      }
    }
  }

  private func catalog(of request: CompareCatalogRequest) throws(Status) -> Catalog {
    guard request.catalogJSON.isEmpty == request.useFile else {
      throw Status(.invalidArgument, "catalog_json: give exactly one of catalog_json and use_file")
    }
    if request.useFile {
      do throws(ReloadError) { return try readCatalog() } catch { throw error.status }
    }
    do throws(JSONError) {
      return try Catalog(parsing: Array(request.catalogJSON.utf8))
    } catch {
      throw Status(.invalidArgument, "catalog_json: \(error)")
    }
  }

  /// Reads the catalog's file again, journals it, and folds everyone anew.
  func reloadConfiguration(_ call: Call) {
    guard let request = call.request(ReloadConfigurationRequest.self) else { return }
    call.answer { () throws(Status) in
      do throws(ReloadError) { return try reload(isForced: request.force) } catch { throw error.status }
    }
  }

  /// Reads the catalog's file again, journals it, and folds everyone anew, while checks go on.
  ///
  /// - Parameter isForced: takes the catalog whatever it cuts.
  /// - Throws: `ReloadError`; the catalog is then as it was.
  package func reload(isForced: Bool = false) throws(ReloadError) -> ReloadConfigurationResponse {
    let catalog = try readCatalog()
    let applied: Applied
    do throws(StoreError) {
      applied = try store.replace(catalog: catalog, limit: isForced ? .none : catalogCutLimit, at: wallMoment)
    } catch {
      throw .store(error)
    }
    return ReloadConfigurationResponse.with {
      $0.revision = applied.revision
      $0.products = UInt32(catalog.products.count)
      $0.customers = UInt64(store.read { ledger, _ in ledger.everyone.count })
    }
  }

  private func readCatalog() throws(ReloadError) -> Catalog {
    guard let loadCatalog else { throw .noCatalog }
    do { return try loadCatalog() } catch { throw .unreadable("\(error)") }
  }

  private var wallMoment: Moment { Moment(milliseconds: Clock.wallMilliseconds()) }
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
    case .store(.catalogRefused(let refusal)):
      "\(refusal). See `latchkey catalog diff`; `latchkey reload --force` takes it all the same"
    case .store(let error): error.description
    }
  }

  var status: Status {
    switch self {
    case .noCatalog, .unreadable, .store(.catalogRefused): Status(.failedPrecondition, description)
    case .store(let error): error.status
    }
  }
}

// MARK: - On the wire

extension CompareCatalogResponse {
  /// How many products, and how many entitlements, are listed at most.
  private static let effectLimit = 1_000

  fileprivate init(_ difference: CatalogDifference, limit: CutLimit, revision: UInt64) {
    self.init()
    products = CompareCatalogResponse.listed(difference.products)
    entitlements = CompareCatalogResponse.listed(difference.entitlements)
    customers = UInt64(difference.customers)
    customersGaining = UInt64(difference.customersGaining)
    customersLosing = UInt64(difference.customersLosing)
    losingPartsPerMillion = CompareCatalogResponse.partsPerMillion(difference.cutShare)
    limitPartsPerMillion = CompareCatalogResponse.partsPerMillion(limit.share)
    wouldBeRefused = !limit.allows(difference)
    gainingExamples = difference.gainingExamples.map(\.text).sorted()
    losingExamples = difference.losingExamples.map(\.text).sorted()
    self.revision = revision
  }

  private static func partsPerMillion(_ share: Double) -> UInt32 { UInt32((share * 1_000_000).rounded()) }

  /// Those with the most losers first, then those with the most who gain, then by name.
  private static func listed(_ effects: [Identifier: CatalogDifference.Effect]) -> [CatalogEffect] {
    let sorted = effects.sorted { ($1.value.losing, $1.value.gaining, $0.key) < ($0.value.losing, $0.value.gaining, $1.key) }
    return sorted.prefix(effectLimit).map { name, effect in
      CatalogEffect.with {
        $0.name = name.text
        $0.customersGaining = UInt64(effect.gaining)
        $0.customersLosing = UInt64(effect.losing)
      }
    }
  }
}
