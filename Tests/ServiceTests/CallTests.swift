import LatchkeyWire
import Protobuf
import Service
import Testing

/// How requests find their method, and what is said to those that can't be understood.
@Suite struct CallTests {
  let running: RunningService

  init() throws { running = try RunningService() }

  /// A request message for each method.
  private static let messages: [(LatchkeyWire.Method, any Message)] = [
    (.checkAccess, CheckAccessRequest(customerID: "alice", entitlement: "pro")),
    (.checkAccessBatch, CheckAccessBatchRequest()),
    (
      .recordTransaction,
      RecordTransactionRequest.with { $0.notification = Notification.with { $0.type = "TEST" } }
    ),
    (.rebuildEntitlements, RebuildEntitlementsRequest.with { $0.everyone = true }),
    (.listEntitlements, ListEntitlementsRequest.with { $0.customerID = "alice" }),
    (.getHistory, GetHistoryRequest.with { $0.customerID = "alice" }),
    (.explainAccess, ExplainAccessRequest.with { $0.customerID = "alice" }),
    (.getRefundReport, GetRefundReportRequest()),
    (.getLeakReport, GetLeakReportRequest()),
    (.hello, HelloRequest()),
    (.takeSnapshot, TakeSnapshotRequest()),
    (.healthCheck, HealthCheckRequest()),
  ]

  @Test("Every method is called by its names and by its number")
  func bothWays() throws {
    for (method, message) in CallTests.messages {
      var byName = Request()
      (byName.service, byName.method, byName.payload) = (method.service, method.name, message.encoded())
      for request in [byName, Request(method, message)] {
        let frames = try #require(running.line.wait(for: running.send(request)))
        let last = try #require(frames.last)
        if last.header.type == .response { #expect(try Response(decoding: last.data).status == nil, "\(method)") }
        #expect(last.header.type == (method.isStreaming ? .data : .response))
      }
    }
  }

  @Test("A payload that isn't a message is refused on its stream, and the next request is answered", arguments: Method.allCases)
  func malformedPayload(method: LatchkeyWire.Method) throws {
    var request = Request(method, GetRefundReportRequest())
    request.payload = [0x0A, 0x05, 0x61]
    let status = try #require(running.response(on: running.send(request)).status)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("\(method.name): the request isn't a valid message"))
    #expect(try running.check("alice", "pro").reason == .unknownCustomer)
  }

  @Test("An envelope that isn't a message is refused on its stream")
  func malformedEnvelope() throws {
    let streamID = running.nextStreamID()
    running.read([(streamID, [0x1A, 0x7F])])
    let status = try #require(running.response(on: streamID).status)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("the request's envelope"))
  }

  @Test("A method that doesn't exist is UNIMPLEMENTED, and named as far as a status may be long")
  func unknownMethod() throws {
    func status(_ fill: (inout Request) -> Void) throws -> Status {
      try #require(try running.response(on: running.send(Request.with(fill))).status)
    }
    let byNumber = try status { $0.methodNumber = 99 }
    #expect(byNumber.code == .unimplemented)
    #expect(byNumber.message == "there is no method with the number 99")
    let byName = try status { ($0.service, $0.method) = ("latchkey.v1.Entitlements", "Frobnicate") }
    #expect(byName.code == .unimplemented)
    #expect(byName.message == "there is no method latchkey.v1.Entitlements/Frobnicate")
    #expect(try status { $0.service = "latchkey.v1.Entitlements" }.code == .unimplemented)
    let long = try status { ($0.service, $0.method) = (text(2 << 20), text(1 << 20)) }
    #expect(long.code == .unimplemented)
    #expect(long.message.utf8.count < 400)
    #expect(try status { _ in }.code == .unimplemented)
  }

  @Test("The number counts where a request has both, as the protocol says")
  func numberCounts() throws {
    var request = Request(.checkAccess, CheckAccessRequest(customerID: "alice", entitlement: "pro"))
    (request.service, request.method) = ("no.such.Service", "Nothing")
    #expect(try running.response(on: running.send(request)).status == nil)
  }

  @Test("A request that wants to send a stream is UNIMPLEMENTED")
  func remoteOpen() throws {
    let request = Request(.checkAccess, CheckAccessRequest(customerID: "alice", entitlement: "pro"))
    #expect(try running.response(on: running.send(request, flags: .remoteOpen)).status?.code == .unimplemented)
  }

  @Test("A request that fills a frame and is quoted in its error still gets a status")
  func longQuote() throws {
    let request = HealthCheckRequest.with { $0.service = text(Limits.frameBytes - 40) }
    let status = try running.failure(.healthCheck, request)
    #expect(status.code == .notFound)
    #expect(status.message.utf8.count < 8_192)
  }

  @Test("All requests of one read are answered, each once, whatever is wrong with those beside them")
  func mixedRead() throws {
    try running.record(.subscription("1"))
    let good = Request(.checkAccess, CheckAccessRequest(customerID: "alice", entitlement: "monthly")).encoded()
    let bad = Request(.checkAccess, CheckAccessRequest(customerID: "", entitlement: "monthly")).encoded()
    let list = Request(.listEntitlements, ListEntitlementsRequest.with { $0.customerID = "alice" }).encoded()
    let envelopes = (0..<300).map { index in index % 7 == 3 ? bad : index % 11 == 5 ? list : index % 13 == 0 ? [0xFF] : good }
    let requests = envelopes.map { (streamID: running.nextStreamID(), envelope: $0) }
    running.read(requests)
    for request in requests {
      let response = try running.response(on: request.streamID)
      switch request.envelope {
      case good: #expect(try CheckAccessResponse(decoding: response.payload).allowed)
      case list: #expect(try ListEntitlementsResponse(decoding: response.payload).entitlements.count == 1)
      default: #expect(response.status?.code == .invalidArgument)
      }
    }
    let ended = running.line.endedStreams
    #expect(ended.count == Set(ended).count)
  }

  @Test("Requests for which the output has no room are left for a later turn")
  func fullOutput() throws {
    var batch = CheckAccessBatchRequest()
    batch.checks = Array(repeating: CheckAccessRequest(customerID: "alice", entitlement: "pro"), count: 100)
    let envelope = Request(.checkAccessBatch, batch).encoded()
    let requests = (0..<5).map { _ in (streamID: running.nextStreamID(), envelope: envelope) }
    let read = running.read(requests, outputLimit: 500)
    let left = try #require(read.firstLeft)
    #expect(left > 0 && left < 5)
    #expect(running.line.endedStreams == requests[..<left].map(\.streamID))
  }
}
