import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Service
import Testing

@testable import Storage

/// WatchChanges.
@Suite final class WatchTests {
  private let running: RunningService
  private let clock = WatchClock()

  init() throws {
    let clock = clock
    var watching = WatchOptions()
    watching.checkpointInterval = .milliseconds(5)
    running = try RunningService(catalog: .pro, watching: watching, clock: { clock.now })
  }

  /// A watch that has told where it begins.
  private func watch(_ fill: (inout WatchChangesRequest) -> Void = { _ in }) throws -> UInt32 {
    let stream = running.send(Request(.watchChanges, WatchChangesRequest.with(fill)))
    #expect(running.line.wait(for: stream, frames: 1))
    return stream
  }

  /// Waits for so many events that aren't mere checkpoints.
  private func events(on stream: UInt32, _ count: Int) throws -> [WatchEvent] {
    try running.events(on: stream) { events in events.filter { $0.change != nil || $0.snapshotEnd }.count >= count }
  }

  private func changes(on stream: UInt32, _ count: Int) throws -> [WatchedChange] {
    try events(on: stream, count).compactMap(\.change)
  }

  /// The status that ends a stream.
  private func ending(of stream: UInt32) throws -> Status {
    let last = try #require(running.line.wait(for: stream)?.last)
    return try #require(try Response(decoding: last.data).status)
  }

  @Test("A refund for a linked family is told of every member at one position, and its last event is a checkpoint")
  func family() throws {
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob", sharedFrom: ["1"])
    let stream = try watch { $0.entitlements = ["pro"] }
    let recorded = try running.record(.subscription("1").refunded)
    let told = try events(on: stream, 2).filter { $0.change != nil }
    #expect(told.map { $0.change?.customerID } == ["alice", "bob"])
    #expect(told.map { $0.change?.reason } == [.refunded, .sharedPurchaseRefunded])
    #expect(told.allSatisfy { $0.change?.allowed == false && $0.position?.revision == recorded.revision })
    #expect(told.map(\.checkpoint) == [false, true])
  }

  @Test("Watches with other filters, or the same, are each told their own changes of one position, on their own stream")
  func filters() throws {
    try running.record(.subscription("1"))
    try running.record(.shared("2"), for: "bob", sharedFrom: ["1"])
    let filters: [[String]] = [["alice"], ["bob"], [], ["alice", "bob"], ["bob"], []]
    let streams = try filters.map { names in try watch { ($0.customerIDs, $0.entitlements) = (names, ["pro"]) } }
    try running.record(.subscription("1").refunded)
    for (filter, stream) in zip(filters, streams) {
      let expected = filter.isEmpty ? ["alice", "bob"] : filter
      let told = try events(on: stream, expected.count).filter { $0.change != nil }
      #expect(told.map { $0.change?.customerID } == expected)
      #expect(told.map(\.checkpoint) == expected.map { $0 == expected.last })
    }
  }

  @Test("What time changes is told at its moment, and once")
  func expiry() throws {
    try running.record(.subscription("1"))
    let end = try #require(try running.check("alice", "pro").validUntilMilliseconds)
    let stream = try watch { ($0.customerIDs, $0.entitlements) = (["alice"], ["pro"]) }
    clock.set(end - 1)
    running.service.lookAtWatches()
    clock.set(end + 500)
    running.service.lookAtWatches()
    let told = try events(on: stream, 1).filter { $0.change != nil }
    #expect(told.map { $0.change?.reason } == [.expired])
    #expect(told.map { $0.position?.timeMilliseconds } == [end])
  }

  @Test("A quiet watcher is told where to resume, and resuming there gives the rest once")
  func resume() throws {
    let first = try watch()
    let begun = try running.events(on: first) { !$0.isEmpty }
    let start = try #require(begun.first)
    #expect(start.checkpoint && start.change == nil)
    try running.record(.lasting("3", product: "forever"), for: "carol")
    let told = try events(on: first, 1)
    let position = try #require(told.last(where: \.checkpoint)?.position)
    clock.set(clock.now + 60_000)
    running.service.lookAtWatches()
    let quiet = try running.events(on: first) { $0.contains { $0.position?.timeMilliseconds == clock.now } }
    #expect(quiet.last?.change == nil && quiet.last?.checkpoint == true)
    try running.record(.lasting("4", product: "forever"), for: "dora")
    for from in [position, quiet.last?.position] {
      let told = try changes(on: running.send(Request(.watchChanges, WatchChangesRequest.with { $0.from = from })), 1)
      #expect(told.map(\.customerID) == ["dora"])
    }
    let all = try changes(on: running.send(Request(.watchChanges, WatchChangesRequest.with { $0.from = start.position })), 2)
    #expect(all.map(\.customerID) == ["carol", "dora"])
  }

  @Test("The present answers come first, then the end of them, then what changes")
  func snapshotFirst() throws {
    try running.record(.lasting("3", product: "forever"), for: "carol")
    try running.record(.subscription("1"))
    let stream = try watch { ($0.snapshotFirst, $0.entitlements) = (true, ["pro", "forever"]) }
    #expect(try events(on: stream, 3).contains(where: \.snapshotEnd))
    try running.record(.lasting("4", product: "forever"), for: "dora")
    let told = try events(on: stream, 4).filter { $0.change != nil || $0.snapshotEnd }
    let places = told.indices.filter { told[$0].snapshotEnd }
    let end = try #require(places.first)
    #expect(Set(told[..<end].compactMap { $0.change?.customerID }) == ["alice", "carol"])
    #expect(told[..<end].allSatisfy { !$0.checkpoint && $0.change?.allowed == true })
    #expect(told[end].checkpoint && told[end].change == nil)
    #expect(told[(end + 1)...].map { $0.change?.customerID } == ["dora"])
  }

  @Test(
    "A watch that can't be right is refused, and the field is named",
    arguments: [
      ("customer_ids[1]", 0), ("entitlements[0]", 1), ("customer_ids", 2), ("entitlements", 3), ("from.time_ms", 4), ("from", 5),
    ])
  func badRequests(field: String, number: Int) throws {
    let position = WatchPosition(revision: 1, timeMilliseconds: 1)
    let requests: [WatchChangesRequest] = [
      .with { $0.customerIDs = ["a", ""] }, .with { $0.entitlements = [text(129)] },
      .with { $0.customerIDs = (0...1_000).map { "c\($0)" } }, .with { $0.entitlements = (0...1_000).map { "e\($0)" } },
      .with { $0.from = WatchPosition(revision: 1, timeMilliseconds: -1) },
      .with { ($0.from, $0.snapshotFirst) = (position, true) },
    ]
    let status = try running.failure(.watchChanges, requests[number])
    #expect(status.code == .invalidArgument)
    #expect(status.message.hasPrefix("\(field):"))
  }

  @Test("As many names as a watch may have are taken")
  func mostNames() throws {
    let stream = try watch { $0.customerIDs = (0..<1_000).map { "c\($0)" } }
    try running.record(.lasting("3", product: "forever"), for: "c999")
    #expect(try changes(on: stream, 1).map(\.customerID) == ["c999"])
  }

  @Test("A position that isn't kept, or hasn't come, is out of range, in plain words")
  func outOfRange() throws {
    // An erasure begins a new segment, and the second snapshot after it removes the one before.
    for number in 1...2 {
      try running.record(.lasting("\(number)", product: "forever"), for: "c\(number)")
      _ = try running.call(
        .eraseCustomer, EraseCustomerRequest.with { ($0.customerID, $0.by, $0.note) = ("c\(number)", "desk", "1") },
        as: EraseCustomerResponse.self)
      _ = try running.store.takeSnapshot()
    }
    let old = try running.failure(.watchChanges, WatchChangesRequest.with { $0.from = WatchPosition() })
    #expect(old.code == .outOfRange)
    let oldest = try running.store.oldestKeptPosition()
    #expect(oldest.revision > 0)
    #expect(old.message.contains("the oldest position to go on from is revision \(oldest.revision), time_ms 0"))
    let from = WatchPosition(revision: oldest.revision, timeMilliseconds: 0)
    #expect(try !changes(on: running.send(Request(.watchChanges, WatchChangesRequest.with { $0.from = from })), 1).isEmpty)
    let future = WatchPosition(revision: 1_000, timeMilliseconds: 1)
    let early = try running.failure(.watchChanges, WatchChangesRequest.with { $0.from = future })
    #expect(early.code == .outOfRange && early.message.contains("future"))
  }

  @Test("A watcher that doesn't read is ended once what it needs is gone, with where to go on; others go on")
  func slowReader() throws {
    var watching = WatchOptions()
    watching.window = WatchLimits(windowEntries: 20)
    let clock = clock
    let running = try RunningService(catalog: .pro, watching: watching, clock: { clock.now })
    let slow = running.send(Request(.watchChanges, WatchChangesRequest()))
    #expect(running.line.wait(for: slow, frames: 1))
    running.line.setRoom(0)
    // What waits to be sent isn't lost yet: 64 KiB of it.
    for number in 1...270 { try running.record(.lasting("\(number)", product: text(120)), for: text(120) + "\(number)") }
    let last = try #require(running.line.wait(for: slow)?.last)
    let status = try #require(try Response(decoding: last.data).status)
    #expect(status.code == .resourceExhausted)
    #expect(status.message.contains("resume from revision \(running.store.revision - 270), time_ms"))
    running.line.setRoom(nil)
    let next = running.send(Request(.watchChanges, WatchChangesRequest()))
    #expect(running.line.wait(for: next, frames: 1))
    try running.record(.lasting("271", product: "forever"), for: "c271")
    #expect(try running.events(on: next) { $0.contains { $0.change != nil } }.compactMap(\.change).count >= 1)
  }

  @Test("A watcher that reads again gets all that it missed")
  func stalledReader() throws {
    let stream = try watch { $0.entitlements = ["forever"] }
    running.line.setRoom(0)
    for number in 1...30 { try running.record(.lasting("\(number)", product: "forever"), for: "c\(number)") }
    running.line.setRoom(nil)
    #expect(try changes(on: stream, 30).map(\.customerID) == (1...30).map { "c\($0)" })
  }

  @Test("A cancelled watch ends, and so does one whose deadline passes")
  func ends() throws {
    let stream = try watch()
    running.line.cancel(stream)
    #expect(try ending(of: stream).code == .cancelled)
    let short = running.send(Request(.watchChanges, WatchChangesRequest(), timeoutNanoseconds: 1))
    #expect(try ending(of: short).code == .deadlineExceeded)
  }

  @Test("A server that drains ends its watches with a position to go on from, and takes no more")
  func drain() throws {
    let stream = try watch()
    try running.record(.lasting("3", product: "forever"), for: "carol")
    _ = try events(on: stream, 1)
    running.service.stopServing()
    let status = try ending(of: stream)
    #expect(status.code == .unavailable)
    let told = try running.events(on: stream) { _ in true }
    let position = try #require(told.last(where: \.checkpoint)?.position)
    #expect(status.message.contains("resume from revision \(position.revision), time_ms \(position.timeMilliseconds)"))
    #expect(try running.failure(.watchChanges, WatchChangesRequest()).code == .unavailable)
  }

  @Test("More watches than may run are refused, and the others go on")
  func limit() throws {
    var watching = WatchOptions()
    watching.watchLimit = 3
    let clock = clock
    let running = try RunningService(catalog: .pro, watching: watching, clock: { clock.now })
    let streams = (1...3).map { _ in running.send(Request(.watchChanges, WatchChangesRequest())) }
    let status = try running.failure(.watchChanges, WatchChangesRequest())
    #expect(status.code == .resourceExhausted && status.message.contains("retry after"))
    running.line.cancel(streams[0])
    #expect(running.line.wait(for: streams[0]) != nil)
    try running.record(.lasting("3", product: "forever"), for: "carol")
    for stream in streams[1...] {
      #expect(try running.events(on: stream) { $0.contains { $0.change != nil } }.compactMap(\.change).isEmpty == false)
    }
  }

  @Test("A thousand watchers are each told each change once")
  func thousand() throws {
    let streams = (0..<1_000).map { index in
      running.send(Request(.watchChanges, WatchChangesRequest.with { if index % 2 == 1 { $0.customerIDs = ["c7"] } }))
    }
    for stream in streams { #expect(running.line.wait(for: stream, frames: 1)) }
    for number in 1...20 { try running.record(.lasting("\(number)", product: "forever"), for: "c\(number)") }
    running.service.stopServing()
    for (index, stream) in streams.enumerated() {
      let told = try running.events(on: stream) { _ in true }.compactMap(\.change).filter { $0.entitlement == "forever" }
      #expect(told.map(\.customerID) == (index % 2 == 1 ? ["c7"] : (1...20).map { "c\($0)" }))
    }
  }
}

/// A wall clock that a test sets, in milliseconds since 1970.
final class WatchClock: Sendable {
  private let value = Guarded(RunningService.now)
  var now: Int64 { value.withLock { $0 } }
  func set(_ milliseconds: Int64) { value.withLock { $0 = milliseconds } }
}

extension RunningService {
  /// Waits until the events of a stream are enough, and gives them.
  func events(on stream: UInt32, _ isEnough: ([WatchEvent]) throws -> Bool) throws -> [WatchEvent] {
    while true {
      let frames = line.frames(of: stream)
      let events = try frames.filter { $0.header.type == .data }.map { try WatchEvent(decoding: $0.data) }
      if try isEnough(events) { return events }
      guard line.wait(for: stream, frames: frames.count + 1) else {
        Issue.record("no more events came than \(events)")
        return events
      }
    }
  }
}
