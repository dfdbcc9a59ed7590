import Foundation
import TestSupport
import Testing

@testable import latchkey

/// `latchkey report` as people, spreadsheets and scripts see it.
struct ReportTests {
  /// A server with one refund of 9.99 USD, whose product's name asks for quotes, after two checks.
  private func server(_ scratch: Scratch) throws -> ServedDirectory {
    let server = try ServedDirectory(scratch.path("data"))
    let product = #"life,time \"pro\""#
    #expect(try server.run(["record", "--customer", "ana"], input: transaction("1", product: product)).status == 0)
    for _ in 0..<2 { #expect(try server.run(["check", "ana", #"life,time "pro""#]).status == 0) }
    let refund = transaction(
      "1", product: product,
      more: #","revocationDate":1768003200000,"revocationReason":1,"revocationType":"REFUND_FULL","price":9990,"currency":"USD""#)
    #expect(try server.run(["record"], input: refund).status == 0)
    return server
  }

  @Test("refunds are told in words, as JSON and as a table") func refunds() throws {
    let scratch = try Scratch()
    let server = try server(scratch)
    let words = try server.run(["report", "refunds"])
    #expect(words.status == 0)
    for text in ["9.99 USD", "by product:", "2026-01-10", "REFUND_FULL", "1 person by 1 refund", "recorded after"] {
      #expect(words.output.contains(text), "\(text) in \(words.output)")
    }
    #expect(try server.run(["report", "refunds", "--json"]).output.contains(#""days":[{"key":"2026-01-10","refunds":1"#))
    let table = try server.run(["report", "refunds", "--csv"]).output
    #expect(table.hasPrefix("section,key,measure,currency,value\r\ntotal,,refunds,,1\r\n"))
    #expect(table.contains("product,\"life,time \"\"pro\"\"\",amount_milliunits,USD,9990\r\n"))
    #expect(table.hasSuffix("\r\n"))
    #expect(!table.contains("\r\r"))
  }

  @Test("an empty window is an answer in words") func emptyWindow() throws {
    let scratch = try Scratch()
    let server = try server(scratch)
    let empty = try server.run(["report", "refunds", "--since", "2030-01-01", "--until", "2031-01-01"])
    #expect(empty.status == 0)
    #expect(empty.output.contains("nothing was refunded, revoked, reversed or left unclaimed since 2030-01-01T00:00:00Z"))
    let backwards = try server.run(["report", "refunds", "--since", "2031-01-01", "--until", "2030-01-01"])
    #expect(backwards.status == 2 && backwards.errors.contains("until_ms: the window is empty"))
  }

  @Test("leaks are told in words, as JSON and as a table, with what they cost") func leaks() throws {
    let scratch = try Scratch()
    let server = try server(scratch)
    let words = try server.run(["report", "leaks", "--unit-cost", "0.002"])
    #expect(words.status == 0)
    for text in ["REFUND 1", "2 checks (0.004) too late", "active on a refunded purchase: 0", "unclaimed transactions: 0"] {
      #expect(words.output.contains(text), "\(text) in \(words.output)")
    }
    #expect(try server.run(["report", "leaks", "--json"]).output.contains(#""late":{"checks":2,"upper_bound":false}"#))
    let rows = try server.run(["report", "leaks", "--csv"]).output.components(separatedBy: "\r\n")
    #expect(rows[0].hasPrefix("finding,id,product_id,revoked,recorded,count,served,"))
    #expect(rows[1].hasPrefix("REFUND,1,\"life,time \"\"pro\"\"\",2026-01-10T00:00:00Z,"))
  }

  @Test("consumption is told under Apple's names") func consumption() throws {
    let scratch = try Scratch()
    let server = try server(scratch)
    let words = try server.run(["report", "consumption", "1", "--customer", "ana"])
    #expect(words.status == 0)
    for text in ["deliveryStatus", "DELIVERED", "2 since the purchase", "1: 9.99 USD", "customerConsented"] {
      #expect(words.output.contains(text), "\(text) in \(words.output)")
    }
    #expect(try server.run(["report", "consumption", "1", "--json"]).output.contains(#""delivery_status":"DELIVERED""#))
    let other = try server.run(["report", "consumption", "1", "--customer", "bob"])
    #expect(other.status == 2 && other.errors.contains("FAILED_PRECONDITION: customer_id: 1 is the purchase of another customer"))
    let unknown = try server.run(["report", "consumption", "77"])
    #expect(unknown.status == 2 && unknown.errors.contains("NOT_FOUND"))
  }

  @Test(
    "what doesn't belong to a report is refused",
    arguments: [
      (["consumption"], "TRANSACTION is missing"), (["refunds", "1"], "unexpected word 1"),
      (["refunds", "--unit-cost", "1"], "--unit-cost isn't an option of the report refunds"),
      (["consumption", "1", "--csv"], "--csv isn't an option"),
      (["leaks", "--unit-cost", "cheap"], "--unit-cost: expected a cost"),
      (["leaks", "--top", "0"], "--top: expected a number"), (["leaks", "--csv", "--json"], "one of --json and --csv"),
      (["leaks", "--since", "noon"], "--since: expected a time"),
    ])
  func wrongUsage(words: [String], message: String) throws {
    let finished = try Executable.run(["report"] + words)
    #expect(finished.status == 2)
    #expect(finished.errors.contains(message), "\(finished.errors)")
  }

  @Test(
    "a cost is read exactly, or not at all",
    arguments: [
      ("1", 1_000_000), ("0.002", 2_000), ("0.000001", 1), ("12.5", 12_500_000), ("0", nil), ("-1", nil), ("1.", nil),
      (".5", nil),
      ("0.0000001", nil), ("1e3", nil), ("", nil), ("9999999999", nil),
    ] as [(String, Int64?)])
  func costs(text: String, micros: Int64?) { #expect(Int64(micros: text) == micros) }

  @Test(
    "a field is quoted where RFC 4180 asks for it",
    arguments: [
      ("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("", ""),
    ])
  func quoting(field: String, quoted: String) { #expect(CSVTable.quoted(field) == quoted) }

  @Test(
    "times are told in their two greatest units",
    arguments: [
      (0, "0 ms"), (350, "350 ms"), (61_000, "1 min 1 s"), (3_600_000, "1 h"), (93_600_000, "1 d 2 h"), (86_460_000, "1 d"),
    ] as [(Int64, String)])
  func durations(milliseconds: Int64, words: String) { #expect(milliseconds.asDuration == words) }
}
