import Foundation
import LatchkeyClient
import LatchkeyWire
import TestSupport
import Testing

/// Watching a server process: by the client, over restarts, and by the command.
struct WatchTests {
  private func family() -> [(customer: String, sharedFrom: [String], json: String)] {
    let members = ["ben", "carla", "dora"].enumerated().map { index, name in
      (name, ["1"], transaction("\(index + 2)", more: #","inAppOwnershipType":"FAMILY_SHARED""#))
    }
    return [("ana", [], transaction("1"))] + members
  }

  private func record(_ json: String, for customer: String, sharedFrom: [String] = [], on latchkey: Latchkey) async throws
    -> RecordTransactionResponse
  {
    try await latchkey.recordTransaction(
      .with {
        ($0.customerID, $0.appleJSON, $0.sharedFrom) = (customer, json, sharedFrom)
      })
  }

  private let refund = transaction("1", more: #","revocationDate":1767225700000,"revocationReason":0"#)
    .replacing("\"signedDate\":1767225600000", with: "\"signedDate\":1767225700000")

  @Test("A watcher sees a refund cut a linked family, every member in one revision") func family() async throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let latchkey = try server.client()
    for member in family() {
      _ = try await record(member.json, for: member.customer, sharedFrom: member.sharedFrom, on: latchkey)
    }
    var watch = latchkey.watchChanges(.with { $0.snapshotFirst = true }).makeAsyncIterator()
    var present: Set<String> = []
    while let event = try await watch.next(), !event.snapshotEnd { present.insert(event.change?.customerID ?? "") }
    #expect(present == ["ana", "ben", "carla", "dora"])
    let revision = try await record(refund, for: "ana", on: latchkey).revision
    var denied: [String] = []
    while denied.count < 4, let event = try await watch.next() {
      guard let change = event.change else { continue }
      #expect(!change.allowed && event.position?.revision == revision)
      #expect(change.reason == (change.customerID == "ana" ? .refunded : .sharedPurchaseRefunded))
      #expect(event.checkpoint == (denied.count == 3))
      denied.append(change.customerID)
    }
    #expect(denied == ["ana", "ben", "carla", "dora"])
  }

  @Test(
    "A watch goes on by itself after its server was started anew, and misses and repeats nothing", arguments: [SIGTERM, SIGKILL])
  func restart(signal: Int32) async throws {
    let scratch = try Scratch()
    var server = try ServedDirectory(scratch.path("data"))
    let address = server.address
    let latchkey = try server.client()
    var watch = latchkey.watchChanges().makeAsyncIterator()
    #expect(try await watch.next()?.checkpoint == true)
    var expected: [String] = []
    for round in 0..<3 {
      for number in 1...5 {
        let id = "\(round)\(number)"
        _ = try await record(transaction(id), for: "c\(id)", on: latchkey)
        expected.append("c\(id)")
      }
      var told: [String] = []
      while told.count < 5, let event = try await watch.next() {
        if let change = event.change { told.append(change.customerID) }
      }
      #expect(told == Array(expected.suffix(5)))
      _ = try server.end(by: signal)
      server = try ServedDirectory(scratch.path("data"), listen: address)
    }
  }

  @Test("After restarts a watch goes on from any position of before, over what a window doesn't keep and another catalog")
  func anyPosition() async throws {
    let scratch = try Scratch()
    let catalog = try scratch.write(#"{ "products": [] }"#, to: "catalog.json")
    let options = ["--watch-entries", "8", "--watch-checkpoint", "1", "--catalog", catalog, "--force-catalog"]
    var server = try ServedDirectory(scratch.path("data"), options)
    var events: [WatchEvent] = []
    do {
      let latchkey = try server.client()
      var watch = latchkey.watchChanges().makeAsyncIterator()
      for number in 1...30 { _ = try await record(transaction("\(number)"), for: "c\(number)", on: latchkey) }
      while events.count < 30, let event = try await watch.next() { if event.change != nil { events.append(event) } }
    }
    _ = try server.end(by: SIGKILL)
    try scratch.write(#"{ "products": [ { "product_id": "lifetime", "entitlements": ["pro"] } ] }"#, to: "catalog.json")
    server = try ServedDirectory(scratch.path("data"), options)
    _ = try server.end(by: SIGTERM)
    server = try ServedDirectory(scratch.path("data"), options)
    let latchkey = try server.client()
    _ = try await record(transaction("31"), for: "c31", on: latchkey)
    for (index, event) in events.enumerated() {
      var told: [WatchEvent] = []
      var watch = latchkey.watchChanges(.with { $0.from = event.position }).makeAsyncIterator()
      while told.last?.change?.customerID != "c31", let event = try await watch.next() {
        if event.change != nil { told.append(event) }
      }
      #expect(Array(told.prefix(29 - index)) == Array(events[(index + 1)...]))
      // The catalog gives everyone one more entitlement, and then comes the one who was recorded last.
      #expect(told.count == 29 - index + 30 + 1)
    }
  }

  @Test("A thousand watches over a few connections are each told each change once") func thousand() async throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let clients = try (0..<4).map { _ in try server.client() }
    let latchkey = clients[0]
    try await withThrowingTaskGroup(of: [String].self) { group in
      let (begun, continuation) = AsyncStream<Void>.makeStream()
      for index in 0..<1_000 {
        let client = clients[index % 4]
        group.addTask {
          var told: [String] = []
          for try await event in client.watchChanges() {
            if let change = event.change { told.append(change.customerID) } else if told.isEmpty { continuation.yield() }
            if told.last == "last" { break }
          }
          return told
        }
      }
      var count = 0
      for await _ in begun {
        count += 1
        if count == 1_000 { break }
      }
      for number in 1...10 { _ = try await record(transaction("\(number)"), for: "c\(number)", on: latchkey) }
      _ = try await record(transaction("11"), for: "last", on: latchkey)
      for try await told in group { #expect(told == (1...10).map { "c\($0)" } + ["last"]) }
    }
  }

  @Test("The command prints a line for each change, from a position that it printed before") func command() async throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let latchkey = try server.client()
    _ = try await record(transaction("1"), for: "ana", on: latchkey)
    let watch = try Program.start(Executable.path, ["watch", "--snapshot-first", "--connect", server.address])
    let present = try #require(try watch.awaitedLine())
    #expect(present.hasSuffix(" ana: lifetime ALLOWED (PURCHASED, never ending)"))
    let end = try #require(try watch.awaitedLine())
    _ = try await record(transaction("2"), for: "ben", on: latchkey)
    let change = try #require(try watch.awaitedLine())
    #expect(change.hasSuffix(" ben: lifetime ALLOWED (PURCHASED, never ending)"))

    let from = String(try #require(end.split(separator: " ").first))
    let words = ["watch", "--from", from, "--customer", "ben", "--json", "--connect", server.address]
    let again = try Program.start(Executable.path, words)
    let event = try #require(try again.awaitedLine())
    #expect(event.contains(#""customer_id":"ben""#) && event.contains(#""checkpoint":true"#))
  }

  @Test(
    "An option for watchers that is out of bounds is refused by its name",
    arguments: [
      ("--watch-checkpoint", "0"), ("--watch-checkpoint", "3601"), ("--watch-memory", "0"), ("--watch-memory", "65537"),
      ("--watch-entries", "0"), ("--watch-entries", "many"),
    ])
  func wrongOptions(option: String, value: String) throws {
    let finished = try Executable.run(["serve", option, value])
    #expect(finished.status == 2 && finished.errors.contains("\(option): expected a number from 1 to"))
  }

  @Test("A wrong position and a server that isn't there are said at once") func wrongUse() throws {
    for from in ["1", "x@2026-01-01T00:00:00Z", "1@yesterday"] {
      let finished = try Executable.run(["watch", "--from", from])
      #expect(finished.status == 2 && finished.errors.contains("--from: expected a position"))
    }
    let finished = try Executable.run(["watch", "--connect", "127.0.0.1:1"])
    #expect(finished.status == 2 && finished.errors.contains("Is a server running"))
  }
}
