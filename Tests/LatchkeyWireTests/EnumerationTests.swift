import LatchkeyWire
import Protobuf
import Testing

@Suite struct `Open enumerations` {
  @Test func `are found by their names in the schema, without prefix`() {
    #expect(Reason(name: "REFUNDED") == .refunded)
    #expect(Reason(name: "REASON_REFUNDED") == nil)
    #expect(Reason.refunded.description == "REFUNDED")
  }

  @Test(arguments: [Int32.min, -1, 5, 4_711, .max])
  func `keep a number without a name through a round trip`(_ number: Int32) throws {
    let response = CheckAccessResponse.with { $0.reason = Reason(rawValue: number) }
    #expect(response.reason.name == nil)
    #expect(response.reason.description == String(number))
    #expect(try CheckAccessResponse(decoding: response.encoded()).reason.rawValue == number)
  }

  @Test func `have no name and no number twice`() {
    func check<Value: OpenEnumeration>(_ type: Value.Type) {
      #expect(Set(Value.names.map(\.name)).count == Value.names.count)
      #expect(Set(Value.names.map(\.value)).count == Value.names.count)
    }
    for (type, _) in Schema.enumerations.values { check(type) }
    check(StatusCode.self)
  }
}

@Suite struct `What a server tells its clients` {
  @Test func `carries the limits of the protocol`() {
    let limits = Limits.published
    #expect(limits.frameBytes == 4_194_304)
    #expect(limits.requestsInFlight == 4_096)
    #expect(limits.checksInBatch == 1_000)
    #expect(limits.idBytes == 128)
  }

  @Test func `names the wait after which another try may succeed`() {
    let status = Status.overloaded("4096 requests in flight are the most", retryAfterMilliseconds: 50)
    #expect(status == Status(.resourceExhausted, "4096 requests in flight are the most; retry after 50 ms"))
  }
}
