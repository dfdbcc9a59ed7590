import Platform
import TestSupport
import Testing

@testable import Benching

/// Loads on a server that a test plays: what is counted, and what ends a load early.
struct LoadRunTests {
  private static func plan(_ server: FakeServer, _ pace: Pace, depth: Int = 1) -> LoadPlan {
    var plan = LoadPlan(endpoint: server.endpoint)
    (plan.language, plan.connections, plan.depth, plan.pace) = (.redis, 1, depth, pace)
    (plan.warmUpSeconds, plan.seconds, plan.deadline) = (0, 1, 60_000_000_000)
    return plan
  }

  private static func run(_ plan: LoadPlan) throws(LoadTrouble) -> LoadResult {
    guard let mix = CallMix("check") else { preconditionFailure("a mix of checks") }
    let load = DrawnLoad(
      population: Population(customerCount: 100, seed: 1), mix: mix, keys: .uniform, batch: 1, seed: 1)
    return try LoadRun.run(plan, .drawn(load)) { _ in }
  }

  /// How many calls took so long.
  private static func count(_ latencies: Histogram, from nanoseconds: UInt64) -> Int {
    let shorter = latencies.curve.last { $0.value < nanoseconds }?.share ?? 0
    return Int(((1 - shorter) * Double(latencies.count)).rounded())
  }

  /// Answers whatever came with the same reply.
  @Sendable private static func echo(_ reply: String) -> @Sendable (Int, inout Int) -> FakeServer.Step {
    { calls, answered in
      defer { answered = calls }
      return .send(String(repeating: reply, count: calls - answered))
    }
  }

  // MARK: Counts

  @Test("all that is answered is counted once, by second, kind and verdict", arguments: [1, 32]) func counts(depth: Int) throws {
    let server = try FakeServer(Self.echo("$1\r\n1\r\n"))
    let result = try Self.run(Self.plan(server, .closed, depth: depth))
    #expect(result.trouble == nil && result.unsent == 0 && result.unanswered == 0)
    #expect(result.answersInAll > 0 && result.tally.verdicts.allowed == result.answersInAll)
    #expect(result.seconds.reduce(0) { $0 + $1.answers } == result.answersInAll)
    #expect(result.latencies.count == UInt64(result.answersInAll) && result.latencies == result.tally.latencies)
    #expect(result.latenciesByKind.map(\.kind) == [.check])
  }

  @Test("answers that come byte by byte are put together") func pieces() throws {
    let server = try FakeServer { calls, answered in
      defer { answered = calls }
      return .sendInPieces(String(repeating: "$1\r\n0\r\n", count: calls - answered))
    }
    let result = try Self.run(Self.plan(server, .open(callsPerSecond: 100, .constant), depth: 8))
    #expect(result.trouble == nil && result.tally.verdicts == .of(denied: 100))
  }

  @Test("failures are counted by their status, and are in no latency") func failures() throws {
    let server = try FakeServer(Self.echo("-OOM no memory\r\n"))
    let result = try Self.run(Self.plan(server, .closed, depth: 4))
    #expect(result.tally.failures == ["OOM": result.answersInAll] && result.answersInAll > 0)
    #expect(result.latencies.count == 0 && result.seconds.reduce(0) { $0 + $1.failures } == result.answersInAll)
  }

  @Test("what is answered in the warm-up doesn't count") func warmUp() throws {
    let server = try FakeServer(Self.echo("$-1\r\n"))
    var plan = Self.plan(server, .open(callsPerSecond: 500, .constant), depth: 100)
    plan.warmUpSeconds = 1
    let result = try Self.run(plan)
    #expect(result.latencies.count == 500 && result.tally.verdicts.unknown == 500 && result.answersInAll == 1_000)
  }

  // MARK: A server that stalls

  @Test("calls that are due while the server stalls count the whole time since then, though there is room") func stallWithRoom()
    throws
  {
    let server = try FakeServer { calls, answered in
      guard calls >= 300 else { return .wait }
      defer { answered = calls }
      return .send(String(repeating: "$1\r\n1\r\n", count: calls - answered))
    }
    let result = try Self.run(Self.plan(server, .open(callsPerSecond: 1_000, .constant), depth: 1_000))
    // The 300th call is due 299 ms after the first, so that the first 200 waited for 100 ms at least.
    #expect(result.latencies.count == 1_000 && Self.count(result.latencies, from: 99_000_000) >= 200)
    #expect(result.waitedForPlace == 0)
  }

  @Test("calls that are due while all connections wait count the whole time since then") func stallWithoutRoom() throws {
    let server = try FakeServer { calls, answered in
      defer { answered = calls }
      let replies = String(repeating: "$1\r\n1\r\n", count: calls - answered)
      return answered == 0 ? .stall(milliseconds: 300, replies) : .send(replies)
    }
    let result = try Self.run(Self.plan(server, .open(callsPerSecond: 1_000, .constant), depth: 1))
    #expect(result.latencies.count == 1_000 && Self.count(result.latencies, from: 99_000_000) >= 199)
    #expect(result.waitedForPlace + result.unsent >= 199)
  }

  @Test("calls that are due and can't be made before the end are counted, with the time that they waited") func unsent() throws {
    let server = try FakeServer { calls, answered in
      defer { answered = calls }
      return .stall(milliseconds: 50, String(repeating: "$1\r\n1\r\n", count: calls - answered))
    }
    let result = try Self.run(Self.plan(server, .open(callsPerSecond: 1_000, .constant), depth: 1))
    #expect(result.answersInAll + result.unsent == 1_000 && result.answersInAll <= 21)
    #expect(result.latencies.count == 1_000 && Self.count(result.latencies, from: 400_000_000) >= 400)
  }

  // MARK: What ends a load

  @Test("a connection that the server ends ends the load, with what was in flight") func ended() throws {
    let server = try FakeServer { calls, _ in calls < 8 ? .wait : .end }
    let result = try Self.run(Self.plan(server, .closed, depth: 8))
    let troubles: [LoadTrouble] = [.connectionEnded(callsInFlight: 8), .connectionBroken(callsInFlight: 8)]
    #expect(result.trouble.map(troubles.contains) == true && result.unanswered == 8)
    #expect(result.latencies.count == 8)
  }

  @Test("an answer that doesn't come in time ends the load") func noAnswer() throws {
    let server = try FakeServer { _, _ in .wait }
    var plan = Self.plan(server, .closed, depth: 3)
    plan.deadline = 20_000_000
    let result = try Self.run(plan)
    #expect(result.trouble == .noAnswer(callsInFlight: 3, milliseconds: 20) && result.unanswered == 3)
  }

  @Test("a thread that can't go on stops the others") func otherThreads() throws {
    // It serves the first connection alone; the other one gets no answer.
    let server = try FakeServer(Self.echo("$1\r\n1\r\n"))
    var plan = Self.plan(server, .closed)
    (plan.threads, plan.connections, plan.seconds, plan.deadline) = (2, 2, 3_600, 500_000_000)
    let result = try Self.run(plan)
    #expect(result.trouble == .noAnswer(callsInFlight: 1, milliseconds: 500) && result.measuredSeconds < 3_600)
  }

  @Test("bytes that are no answer end the load", arguments: ["?\r\n", "$99999999\r\n"]) func nonsense(text: String) throws {
    let server = try FakeServer { _, _ in .send(text) }
    let trouble = try Self.run(Self.plan(server, .closed)).trouble
    guard case .conversation = trouble else {
      Issue.record("\(String(describing: trouble))")
      return
    }
  }

  @Test("an answer too many ends the load") func strangeAnswer() throws {
    let server = try FakeServer(Self.echo("+OK\r\n+OK\r\n"))
    let trouble = LoadTrouble.conversation(BrokenConversation("the server sent an answer to no call"))
    #expect(try Self.run(Self.plan(server, .closed)).trouble == trouble)
  }

  @Test("where nobody listens no load begins") func nobody() throws {
    // Port 1 is privileged, so that no test of anyone listens there.
    var plan = LoadPlan(endpoint: .loopback(port: 1))
    plan.language = .redis
    let trouble = #expect(throws: LoadTrouble.self) { try Self.run(plan) }
    guard case .system = trouble else {
      Issue.record("\(String(describing: trouble))")
      return
    }
  }
}
