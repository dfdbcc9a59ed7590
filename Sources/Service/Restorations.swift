import Entitlements
import LatchkeyWire
import Storage

// RestoreEntry.

extension EntitlementService {
  /// Takes over a line of a dump as it is, journaled as recordings are.
  func restoreEntry(_ call: Call) {
    guard let request = call.request(RestoreEntryRequest.self) else { return }
    let piece: Restoration
    do throws(Refusal) { piece = try Restoration(line: request.entryJSON) } catch { return call.fail(error.status) }
    store.submit(.restoration(piece), deadline: call.deadline) { result in
      switch result {
      case .success(let applied):
        call.finish(
          RestoreEntryResponse.with { ($0.revision, $0.wasThere) = (applied.revision, applied.recorded.outcome == .duplicate) })
      case .failure(let error): call.fail(error.status)
      }
    }
  }
}
