import LatchkeyWire
import Platform
import Protobuf
import Service
import Testing

@testable import Storage

/// WatchChanges from positions that memory doesn't keep any more.
@Suite final class ReplayedWatchTests {
  private let running: RunningService
  private let clock = WatchClock()

  init() throws {
    let clock = clock
    var watching = WatchOptions()
    watching.checkpointInterval = .milliseconds(5)
    watching.window = WatchLimits(windowEntries: 4)
    running = try RunningService(catalog: .pro, watching: watching, clock: { clock.now })
  }

  /// Records so many customers, `c1` first, each at a moment of its own; returns the revision before them.
  private func record(_ count: Int, idLength: Int = 0) throws -> UInt64 {
    let before = running.store.revision
    for number in 1...count {
      clock.set(clock.now + 10)
      try running.record(.lasting("\(number)", product: "forever"), for: text(idLength) + "c\(number)")
    }
    return before
  }

  private func watch(after revision: UInt64, isHeld: Bool = false, _ fill: (inout WatchChangesRequest) -> Void = { _ in })
    -> UInt32
  {
    let request = WatchChangesRequest.with {
      $0.from = WatchPosition(revision: revision, timeMilliseconds: clock.now)
      $0.entitlements = ["forever", "pro"]
      fill(&$0)
    }
    let streamID = running.nextStreamID()
    running.line.hold(streamID, isHeld)
    running.read([(streamID, Request(.watchChanges, request).encoded())])
    return streamID
  }

  private func customers(on stream: UInt32, _ count: Int) throws -> [String] {
    try running.events(on: stream) { $0.count { $0.change != nil } >= count }.compactMap { $0.change?.customerID }
  }

  @Test("A watch from before the window is told what it missed, and then what comes, at once and once")
  func follows() throws {
    let start = try record(20)
    let all = watch(after: start)
    let some = watch(after: start + 5) { $0.customerIDs = ["c3", "c8", "late"] }
    #expect(try customers(on: all, 20) == (1...20).map { "c\($0)" })
    #expect(try customers(on: some, 1) == ["c8"])
    try running.record(.lasting("late", product: "forever"), for: "late")
    #expect(try customers(on: all, 21).last == "late")
    #expect(try customers(on: some, 2) == ["c8", "late"])
  }

  @Test("A watch from now on is told of what was recorded behind it, however late its thread begins")
  func fromNow() throws {
    for round in 0..<50 {
      let watch = WatchChangesRequest.with { $0.entitlements = ["forever"] }
      let stream = running.nextStreamID()
      let recordings = (0..<3).map { number in
        let request = RecordTransactionRequest.with {
          $0.customerID = "c\(round)-\(number)"
          $0.transaction = .lasting("\(round)-\(number)", product: "forever")
        }
        return (running.nextStreamID(), Request(.recordTransaction, request).encoded())
      }
      running.read([(stream, Request(.watchChanges, watch).encoded())] + recordings)
      #expect(try customers(on: stream, 3) == (0..<3).map { "c\(round)-\($0)" })
    }
  }

  @Test("A watch that recordings outrun is told each change once all the same")
  func outrun() throws {
    let stream = running.send(Request(.watchChanges, WatchChangesRequest.with { $0.entitlements = ["forever"] }))
    #expect(running.line.wait(for: stream, frames: 1))
    for batch in 0..<10 {
      // Calls that come together are published together, more of them than memory keeps.
      let calls = (0..<50).map { number in
        let request = RecordTransactionRequest.with {
          $0.customerID = "c\(batch * 50 + number)"
          $0.transaction = .lasting("\(batch)-\(number)", product: "forever")
        }
        return (running.nextStreamID(), Request(.recordTransaction, request).encoded())
      }
      running.read(calls)
      for (call, _) in calls { #expect(running.line.wait(for: call)?.last?.isFinal == true) }
    }
    #expect(try customers(on: stream, 500) == (0..<500).map { "c\($0)" })
  }

  @Test("What time changed between is told in its place, and every event's position is that of whoever was there")
  func positions() throws {
    let there = running.send(Request(.watchChanges, WatchChangesRequest.with { $0.entitlements = ["forever", "pro"] }))
    #expect(running.line.wait(for: there, frames: 1))
    let start = running.store.revision
    try running.record(.subscription("s"))
    let end = try #require(try running.check("alice", "pro").validUntilMilliseconds)
    clock.set(end + 1)
    running.service.lookAtWatches()
    _ = try record(10)
    let live = try running.events(on: there) { $0.count { $0.change != nil } >= 12 }.filter { $0.change != nil }
    #expect(live.map { $0.change?.reason }.prefix(2) == [.purchased, .expired])
    for (index, event) in live.enumerated() {
      let stream = running.send(
        Request(
          .watchChanges,
          WatchChangesRequest.with { ($0.from, $0.entitlements) = (event.position, ["forever", "pro"]) }))
      let rest = try running.events(on: stream) { $0.count { $0.change != nil } >= live.count - index - 1 }
      #expect(rest.filter { $0.change != nil } == Array(live[(index + 1)...]))
      running.line.cancel(stream)
    }
    #expect(start < running.store.revision)
  }

  @Test("Hundreds that resume at once are each told what they missed, by few replays")
  func many() throws {
    let start = try record(20)
    let streams = (0..<300).map { watch(after: start + UInt64($0 % 15)) }
    for (index, stream) in streams.enumerated() {
      #expect(try customers(on: stream, 20 - index % 15) == (index % 15 + 1...20).map { "c\($0)" })
    }
  }

  @Test("Who doesn't read holds up nobody else, and is told all once they read")
  func slow() throws {
    let start = try record(700, idLength: 110)
    let slow = watch(after: start, isHeld: true)
    let fast = watch(after: start)
    #expect(try customers(on: fast, 700).count == 700)
    running.line.hold(slow, false)
    #expect(try customers(on: slow, 700) == (1...700).map { text(110) + "c\($0)" })
  }

  @Test("A watch that is cancelled, or that the server's end finds in a replay, ends with one status")
  func ends() throws {
    let start = try record(700, idLength: 110)
    let cancelled = watch(after: start, isHeld: true)
    running.line.cancel(cancelled)
    #expect(try ending(of: cancelled).code == .cancelled)
    let drained = watch(after: start, isHeld: true)
    running.service.stopServing()
    let status = try ending(of: drained)
    #expect(status.code == .unavailable)
    #expect(status.message.contains("resume from revision \(start), time_ms"))
  }

  /// The status that ends a stream.
  private func ending(of stream: UInt32) throws -> Status {
    let last = try #require(running.line.wait(for: stream)?.last)
    return try #require(try Response(decoding: last.data).status)
  }
}
