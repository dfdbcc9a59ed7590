import LatchkeyWire
import Protobuf
import Testing

@Test func smoke() throws {
  var t = Transaction(); t.transactionID = "1"; t.expiresDateMilliseconds = 0; t.revocationReason = .other; t.priceMilliunits = -5
  let r = RecordTransactionRequest.with { $0.customerID = String(repeating: "a", count: 300); $0.transaction = t; $0.sharedFrom = ["x", ""] }
  #expect(try RecordTransactionRequest(decoding: r.encoded()) == r)
  print(JSONPrinter.print(r))
}
