import Entitlements
import LatchkeyWire
import Protobuf
import Service
import Testing

/// CheckAccess and CheckAccessBatch.
@Suite struct CheckTests {
  let running: RunningService

  init() throws { running = try RunningService(catalog: .pro) }

  @Test("A check is answered with reason, end, ownership and revision")
  func answers() throws {
    let recorded = try running.record(.subscription("1"))
    let allowed = try running.check("alice", "pro")
    #expect(allowed.allowed)
    #expect(allowed.reason == .purchased)
    #expect(allowed.ownership == .purchased)
    #expect(allowed.validUntilMilliseconds == RunningService.now + 20 * day)
    #expect(allowed.revision == recorded.revision)
    #expect(allowed.statusCode == .ok)
  }

  @Test("A moment in the request counts instead of now")
  func moments() throws {
    try running.record(.subscription("1"))
    #expect(try running.check("alice", "pro", at: RunningService.now + 20 * day).reason == .expired)
    #expect(try running.check("alice", "pro", at: RunningService.now + 20 * day - 1).reason == .purchased)
    #expect(try running.check("alice", "pro", at: 1).reason == .notYetValid)
    #expect(try running.check("alice", "pro", at: 253_402_300_799_999).reason == .expired)
  }

  @Test("A denial has no end and no ownership")
  func denials() throws {
    try running.record(.subscription("1").refunded)
    let refunded = try running.check("alice", "pro")
    #expect(!refunded.allowed)
    #expect(refunded.reason == .refunded)
    #expect(refunded.validUntilMilliseconds == nil)
    #expect(refunded.ownership == .unspecified)
    #expect(try running.check("alice", "gold").reason == .neverOwned)
    #expect(try running.check("bob", "pro").reason == .unknownCustomer)
  }

  @Test("Lasting access has no end")
  func lasting() throws {
    try running.record(.lasting("1", product: "forever"))
    let answer = try running.check("alice", "forever")
    #expect(answer.allowed)
    #expect(answer.validUntilMilliseconds == nil)
  }

  /// Requests that can never be right, with the field that is to be named.
  static let bad: [(CheckAccessRequest, String)] = [
    (CheckAccessRequest(customerID: "", entitlement: "pro"), "customer_id"),
    (CheckAccessRequest(customerID: text(129), entitlement: "pro"), "customer_id"),
    (CheckAccessRequest(customerID: "alice", entitlement: ""), "entitlement"),
    (CheckAccessRequest(customerID: "alice", entitlement: text(129)), "entitlement"),
    (CheckAccessRequest(customerID: "alice", entitlement: "pro", atTimeMilliseconds: -1), "at_time_ms"),
    (CheckAccessRequest(customerID: "alice", entitlement: "pro", atTimeMilliseconds: .min), "at_time_ms"),
    (CheckAccessRequest(customerID: "alice", entitlement: "pro", atTimeMilliseconds: 253_402_300_800_000), "at_time_ms"),
    (CheckAccessRequest(customerID: "alice", entitlement: "pro", atTimeMilliseconds: .max), "at_time_ms"),
    // What is wrong is said at once, not after a wait.
    (CheckAccessRequest(customerID: "", entitlement: "pro", minRevision: .max), "customer_id"),
  ]

  @Test("A bad field is INVALID_ARGUMENT and named, alone and in a batch", arguments: bad)
  func badFields(request: CheckAccessRequest, field: String) throws {
    let status = try running.failure(.checkAccess, request)
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("\(field): "), "\(status.message)")

    let good = CheckAccessRequest(customerID: "alice", entitlement: "pro")
    let batch = CheckAccessBatchRequest.with { $0.checks = [good, request, good] }
    let results = try running.call(.checkAccessBatch, batch, as: CheckAccessBatchResponse.self).results
    #expect(results.map(\.statusCode) == [.ok, .invalidArgument, .ok])
    #expect(results[1].statusMessage.hasPrefix("\(field): "))
    #expect(!results[1].allowed)
    #expect(results[0].reason == .unknownCustomer)
    #expect(results[2].reason == .unknownCustomer)
  }

  @Test("Names of 128 bytes are asked about")
  func longestNames() throws {
    #expect(try running.check(text(128), text(128)).reason == .unknownCustomer)
  }

  @Test("A batch has its answers in the order asked", arguments: [0, 1, 999, 1_000])
  func batch(count: Int) throws {
    try running.record(.subscription("1"), for: "customer 1")
    let request = CheckAccessBatchRequest.with {
      $0.checks = (0..<count).map { CheckAccessRequest(customerID: "customer \($0)", entitlement: "pro") }
    }
    let results = try running.call(.checkAccessBatch, request, as: CheckAccessBatchResponse.self).results
    #expect(results.map(\.allowed) == (0..<count).map { $0 == 1 })
  }

  @Test("A batch over 1,000 checks is refused at once, whatever they wait for", arguments: [0, UInt64.max])
  func longBatch(minRevision: UInt64) throws {
    let check = CheckAccessRequest(customerID: "alice", entitlement: "pro", minRevision: minRevision)
    let status = try running.failure(
      .checkAccessBatch, CheckAccessBatchRequest.with { $0.checks = Array(repeating: check, count: 1_001) })
    #expect(status.code == .invalidArgument)
    #expect(status.message == "checks: a batch holds at most 1000")
  }

  @Test("A batch whose last check is malformed is refused as a whole, and the next one isn't harmed")
  func malformedBatch() throws {
    var request = Request(.checkAccessBatch, CheckAccessBatchRequest())
    let check = CheckAccessRequest(customerID: "alice", entitlement: "pro").encoded()
    request.payload = [0x0A, UInt8(check.count)] + check + [0x0A, 0x02, 0x0A, 0x09]
    #expect(try running.response(on: running.send(request)).status?.code == .invalidArgument)
    let next = CheckAccessBatchRequest.with { $0.checks = [CheckAccessRequest(customerID: "alice", entitlement: "pro")] }
    #expect(try running.call(.checkAccessBatch, next, as: CheckAccessBatchResponse.self).results.count == 1)
  }
}
