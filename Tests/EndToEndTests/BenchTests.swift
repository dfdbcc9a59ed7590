import Foundation
import JSON
import Platform
import TestSupport
import Testing

@testable import latchkey

/// `latchkey bench` as a script sees it, on a real server and on a real Redis.
struct BenchTests {
  private static func json(_ finished: Program.Finished) throws -> JSONValue {
    try JSONDocument(parsing: finished.output).root.value
  }

  private static func integer(_ value: JSONValue?) -> Int64? {
    if case .integer(let integer)? = value?.content { integer } else { nil }
  }

  /// Longer than an answer takes on any machine that isn't broken.
  private static let patience = ["--deadline", "600"]

  /// Checks that the seconds and the kinds of calls add up to all that was answered.
  private static func checkSums(_ json: JSONValue) throws {
    let answers = try #require(integer(json["answers"]))
    #expect(answers > 0 && integer(json["latency_ns"]?["count"]) == answers)
    guard case .array(let seconds)? = json["seconds"]?.content, case .object(let calls)? = json["calls"]?.content else {
      Issue.record("no seconds or calls")
      return
    }
    #expect(seconds.reduce(0) { $0 + (integer($1["answers"]) ?? 0) } == answers)
    #expect(calls.reduce(0) { $0 + (integer($1.value["count"]) ?? 0) } == answers)
    #expect(json["failures"] == [:] && json["unanswered"] == 0 && json["unsent"] == 0)
  }

  @Test("a server that was filled knows every customer that a load asks about, in every call")
  func fillAndLoad() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let filling = try server.run(
      ["bench", "load", "--customers", "300", "--seed", "5", "--threads", "2", "--json"] + Self.patience)
    #expect(filling.status == 0, "\(filling.errors)")
    try Self.checkSums(Self.json(filling))
    let mix = "check=10,batch=2,record=1,list=1,history=1,explain=1"
    let loaded = try server.run(
      [
        "bench", "--customers", "300", "--seed", "5", "--seconds", "1", "--warm-up", "0", "--mix", mix, "--batch", "10", "--keys",
        "zipf", "--connections", "3", "--threads", "2", "--process", "\(server.processID)",
        "--json", "--html", scratch.path("report.html"),
      ] + Self.patience)
    #expect(loaded.status == 0, "\(loaded.errors)")
    let json = try Self.json(loaded)
    try Self.checkSums(json)
    let verdicts = try #require(json["verdicts"])
    #expect(verdicts["unknown_customer"] == 0 && Self.integer(verdicts["allowed"]) ?? 0 > 0)
    #expect(json["server_ns_per_call"] != .null)
    #expect(loaded.errors.contains("second 1 ") && loaded.errors.contains("latency"))
    #expect(try scratch.read("report.html").contains("Latency by percentile"))
  }

  @Test("what fills a server are families with purchases, shares and refunds") func filledFamilies() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    #expect(try server.run(["bench", "load", "--customers", "400"] + Self.patience).status == 0)
    let rebuild = try server.run(["rebuild", "--everyone", "--dry-run"])
    #expect(rebuild.output.contains("400 customers") && rebuild.output.contains(" 0 corrections"), "\(rebuild.output)")
    let report = try server.run(["report", "refunds", "--json"]).output
    #expect(report.contains(/"refunds":"?[1-9]/) && report.contains(/"people":"?[1-9]/), "\(report)")
  }

  @Test("an open loop makes the calls of its rate, on a server of its own that it fills before") func ownServer() throws {
    let finished = try Executable.run(
      [
        "bench", "--customers", "200", "--rate", "300", "--arrivals", "constant", "--seconds", "1", "--json",
      ] + Self.patience)
    #expect(finished.status == 0, "\(finished.errors)")
    let json = try Self.json(finished)
    try Self.checkSums(json)
    #expect(json["answers"] == 300 && json["verdicts"]?["unknown_customer"] == 0)
    #expect(json["server_ns_per_call"] != .null)
  }

  @Test("a server that knows nobody is told from one that denies") func strangers() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let finished = try server.run(["bench", "--seconds", "1", "--warm-up", "0"])
    #expect(finished.status == 0 && finished.output.contains("100.0 % unknown customer"), "\(finished.output)")
    #expect(finished.output.contains("Fill it with `latchkey bench load`"))
  }

  @Test("a server that dies ends the load with what was measured until then") func deadServer() throws {
    let scratch = try Scratch()
    let server = try ServedDirectory(scratch.path("data"))
    let words = ["bench", "--connect", server.address, "--seconds", "3600", "--warm-up", "0"]
    let process = try Program.start(
      Executable.path, words, outputTo: scratch.path("output"), errorsTo: scratch.write("", to: "errors"))
    #expect(try scratch.awaitedLine(of: "errors", containing: "second 1 ") != nil)
    _ = try server.end(by: SIGKILL)
    #expect(try Program.end(of: process, Executable.path, words) == 2)
    let output = try scratch.read("output")
    #expect(output.contains("The load ended early") && output.contains("a second"), "\(output)")
  }

  @Test(
    "what is out of bounds is refused by the option's name",
    arguments: [
      (["--customers", "0"], "--customers: expected a number from 1"), (["--customers", "10000001"], "--customers: expected"),
      (["--connections", "10001"], "--connections: expected a number from 1 to 10000"), (["--depth", "0"], "--depth: expected"),
      (["--depth", "4097"], "--depth: expected a number from 1 to 4096"),
      (["--threads", "9"], "--threads: expected a number from 1 to 8"),
      (["--connections", "10000", "--depth", "101"], "--depth: no more than 1000000 calls"),
      (["--rate", "0"], "--rate: expected"),
      (["--rate", "nan"], "--rate: expected"), (["--arrivals", "poisson"], "--arrivals needs --rate"),
      (["--rate", "5", "--arrivals", "late"], "--arrivals: expected constant or poisson"),
      (["--mix", "watch"], "--mix: expected"),
      (["--batch", "1001"], "--batch: expected a number from 1 to 1000"), (["--keys", "zipf:99"], "--keys: expected uniform"),
      (["--warm-up", "-1"], "--warm-up: expected"), (["--seconds", "3601"], "--seconds: expected a number from 1 to 3600"),
      (["--deadline", "0"], "--deadline: expected seconds"), (["--seed", "-1"], "--seed: expected"),
      (["--connect", "localhost:1"], "--connect: expected an address in digits"),
      (["--redis", "x"], "--redis: expected an address"),
      (["--redis", "127.0.0.1:1", "--connect", "127.0.0.1:1"], "one of --connect and --redis"),
      (["--redis", "127.0.0.1:1", "--mix", "history"], "--mix: Redis has no call like history"),
      (["fill"], "there is no work fill of bench; there is: load"), (["load"], "load needs --connect or --redis"),
      (["load", "--connect", "127.0.0.1:1", "--mix", "check"], "--mix isn't an option of load"),
      (["--process", "1"], "--process needs --connect or --redis"),
      (["--process", "0", "--connect", "127.0.0.1:1"], "--process: expected the id of a process"),
      (["--callers", "5"], "--callers is for comparisons"),
      (["--snapshots", "--rate", "5"], "--rate isn't an option of --snapshots"),
      (["--snapshots", "--rebuilds"], "isn't an option of"), (["--watchers", "--connect", "127.0.0.1:1"], "leave out --connect"),
      (["load", "--check-counts"], "leave out load"), (["--snapshots", "--callers", "0"], "--callers: expected a number from 1"),
    ])
  func wrongOptions(words: [String], message: String) throws {
    let finished = try Executable.run(["bench"] + words)
    #expect(finished.status == 2 && finished.output.isEmpty)
    #expect(finished.errors.contains(message), "\(finished.errors)")
  }

  @Test("without a server a load says where it looked for one", arguments: [[], ["load"]]) func noServer(words: [String]) throws {
    let finished = try Executable.run(["bench"] + words + ["--connect", "127.0.0.1:1"])
    #expect(finished.status == 2 && finished.errors.contains("Is Latchkey running at 127.0.0.1:1?"), "\(finished.errors)")
  }

  @Test("a report that can't be written is refused before the load, and none is left of a load that failed")
  func unwritableReport() throws {
    let scratch = try Scratch()
    let nowhere = try Executable.run(["bench", "--seconds", "3600", "--html", scratch.path("none/report.html")])
    #expect(nowhere.status == 2 && nowhere.errors.contains("none/report.html.new: No such file"), "\(nowhere.errors)")
    let failed = try Executable.run(["bench", "--connect", "127.0.0.1:1", "--html", scratch.path("report.html")])
    #expect(failed.status == 2)
    let left = try scratch.names(in: "")
    #expect(left.isEmpty, "\(left)")
  }

  // MARK: Redis

  private static let redis = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// A port that was free a moment ago.
  private static func freePort() throws -> UInt16 { try ListeningSocket(on: .loopback()).endpoint.port }

  @Test("a real Redis is filled and asked under the same keys", .enabled(if: redis != nil, "there is no redis-server"))
  func realRedis() throws {
    let (path, port, scratch) = (try #require(Self.redis), try Self.freePort(), try Scratch())
    let redis = try Program.start(
      path, ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", scratch.url.path])
    while let line = try redis.awaitedLine(), !line.contains("Ready to accept connections") {}
    let address = ["--redis", "127.0.0.1:\(port)", "--customers", "500", "--json"] + Self.patience
    let filling = try Executable.run(["bench", "load"] + address)
    #expect(filling.status == 0, "\(filling.errors)")
    #expect(try Self.json(filling)["answers"] == 500)
    let loaded = try Executable.run(
      ["bench", "--seconds", "1", "--warm-up", "0", "--mix", "check=5,batch=1,record=1", "--batch", "7"] + address)
    #expect(loaded.status == 0, "\(loaded.errors)")
    let json = try Self.json(loaded)
    try Self.checkSums(json)
    #expect(json["server"] == "Redis" && json["verdicts"]?["unknown_customer"] == 0)
    redis.end(by: SIGKILL)
  }
}
