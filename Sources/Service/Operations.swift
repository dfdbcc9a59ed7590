import Entitlements
import LatchkeyWire
import Storage

// Hello, the health check and TakeSnapshot.

extension EntitlementService {
  /// Answers a Hello; returns whether the client understands control frames.
  func answerHello(_ call: Call) -> Bool {
    guard let request = call.request(HelloRequest.self) else { return false }
    var response = HelloResponse()
    response.serverVersion = version
    response.revision = store.revision
    response.limits = Limits.published
    call.finish(response)
    return request.controlFrames
  }

  /// Answers whether requests are welcome: of the server as a whole, or of the one service that it has.
  func answerHealth(_ call: Call) {
    guard let request = call.request(HealthCheckRequest.self) else { return }
    if request.service.isEmpty || request.service == Method.checkAccess.service {
      call.finish(health)
    } else {
      call.fail(Status(.notFound, "service: there is no service \(request.service)"))
    }
  }

  /// Takes a snapshot.
  func takeSnapshot(_ call: Call) {
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
}
