import LatchkeyWire
import Protobuf
import Testing

@Suite struct `The printer of JSON` {
  @Test func `names fields and enumerations as the schema does`() {
    let response = CheckAccessResponse.with {
      ($0.allowed, $0.reason, $0.validUntilMilliseconds, $0.revision) = (true, .familyShared, 0, .max)
    }
    #expect(
      JSONPrinter.print(response)
        == #"{"allowed":true,"reason":"FAMILY_SHARED","valid_until_ms":0,"revision":18446744073709551615}"#)
  }

  @Test func `leaves out what is absent, and keeps numbers, booleans and lists`() {
    #expect(JSONPrinter.print(RecordTransactionResponse()) == #"{"revision":0,"changes":[],"warnings":[]}"#)
  }

  @Test func `prints an enumeration's number where it knows no name`() {
    #expect(JSONPrinter.print(HealthCheckResponse.with { $0.status = ServingStatus(rawValue: 9) }) == #"{"status":9}"#)
  }

  @Test func `nests messages and lists`() {
    let request = CheckAccessBatchRequest.with {
      $0.checks = [CheckAccessRequest(customerID: "a", entitlement: "b"), CheckAccessRequest()]
    }
    #expect(
      JSONPrinter.print(request) == """
        {"checks":[{"customer_id":"a","entitlement":"b","at_time_ms":0,"min_revision":0},\
        {"at_time_ms":0,"min_revision":0}]}
        """)
  }

  @Test func `escapes texts and writes bytes as hex`() {
    let pair = KeyValue(key: "{", value: "\"\\\n\r\t\u{1}\u{7F}é🗝")
    #expect(JSONPrinter.print(pair) == #"{"key":"{","value":"\"\\\n\r\t\u0001\u007fé🗝"}"#)
    #expect(JSONPrinter.print(Response.with { $0.payload = [0, 10, 255] }) == #"{"payload":"000aff"}"#)
  }
}
