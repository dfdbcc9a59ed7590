import JSON
import Platform
import Testing

@testable import Benching

/// What is told of a load, in words, as JSON and as a page.
struct ReportTests {
  /// A load of two seconds with 1,000 checks of 1 ms and ten histories of 50 ms each, and one second behind the end.
  private static func result(_ pace: Pace = .closed, trouble: LoadTrouble? = nil) -> LoadResult {
    var plan = LoadPlan(endpoint: .loopback(port: 7_450))
    (plan.pace, plan.warmUpSeconds, plan.seconds) = (pace, 1, 2)
    var result = LoadResult(plan)
    var findings = ThreadFindings()
    for second in 0..<3 {
      var tally = Tally()
      for _ in 0..<1_000 { tally.latencies.record(1_000_000) }
      for _ in 0..<10 { tally.latencies.record(50_000_000) }
      (tally.verdicts, tally.failures) = (.of(allowed: 1_000), ["RESOURCE_EXHAUSTED": 3])
      _ = result.add(tally, ofSecond: second)
      guard second > 0 else { continue }
      for _ in 0..<1_000 { findings.latenciesByKind[Int(CallKind.check.rawValue)].record(1_000_000) }
      for _ in 0..<10 { findings.latenciesByKind[Int(CallKind.history.rawValue)].record(50_000_000) }
    }
    (findings.processorNanoseconds, findings.elapsedNanoseconds) = (500_000_000, 3_000_000_000)
    findings.answers = 3_039
    result.add((findings: [findings], trouble: trouble))
    return result
  }

  private static func report(_ result: LoadResult) -> LoadReport {
    LoadReport(settings: [("server", "Latchkey at <here> & \"now\"")], result: result, serverNanoseconds: 6_078_000)
  }

  @Test("the summary says rates, latencies of all and of each call, failures and costs") func words() {
    let words = Self.report(Self.result()).words
    for text in [
      "2,020, 1,010 a second", "100.0 % allowed", "6 RESOURCE_EXHAUSTED", "check", "history", "1.00 ms", "50.0 ms",
      "16.7 % of a core",
      "2.00 µs of processor time a call",
    ] { #expect(words.contains(text), "\(text) in \(words)") }
    #expect(!words.contains("Warning"))
  }

  @Test("the JSON is JSON whose counts add up") func json() throws {
    let text = Self.report(Self.result()).json.pretty
    let json = try JSONDocument(parsing: text).root.value
    #expect(json["answers"] == 2_020)
    #expect(json["latency_ns"]?["count"] == 2_020)
    #expect(json["calls"]?["check"]?["count"] == 2_000 && json["calls"]?["history"]?["count"] == 20)
    #expect(json["failures"]?["RESOURCE_EXHAUSTED"] == 6)
    guard case .array(let seconds)? = json["seconds"]?.content else {
      Issue.record("no seconds")
      return
    }
    #expect(seconds.map { $0["answers"] } == [1_010, 1_010] && seconds.map { $0["second"] } == [0, 1])
    #expect(json["wanted_per_second"] == .null)
  }

  @Test("the page holds what it tells, escapes what it shows, and refers to nothing outside of it") func page() {
    let page = Self.report(Self.result(trouble: .idsUsedUp)).html(date: "<today>")
    for text in [
      "<!doctype html>", "&lt;today&gt;", "Latchkey at &lt;here&gt; &amp; &quot;now&quot;", "Latency by percentile", "99.9 %",
      "Latency over time", "Throughput", "<td>history</td>", "<td>2,020</td>", "failed with RESOURCE_EXHAUSTED",
      "as many as it can",
    ] { #expect(page.contains(text), "\(text)") }
    for text in ["http", "//", "src=", "href", "url(", "@import", "<script", "<today>", "<here>", "nan", "inf"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(page.matches(of: #/<svg /#).count == 3 && page.matches(of: #/</svg>/#).count == 3)
    #expect(page.matches(of: #/class="line line\d"/#).count == 3 * 2 + 2 + 3 * 2 + 2)
  }

  @Test("a load without any answer has a page, too") func emptyPage() {
    var result = LoadResult(LoadPlan(endpoint: .loopback()))
    result.add((findings: [ThreadFindings()], trouble: .notConnected))
    let page = LoadReport(settings: [], result: result).html(date: "")
    #expect(page.contains("</html>") && !page.contains("nan") && !page.contains("inf"))
  }

  @Test("a rate that isn't reached, and a load that ends early, are told") func warnings() {
    let open = Self.report(Self.result(.open(callsPerSecond: 5_000, .constant), trouble: .idsUsedUp)).warnings
    #expect(open.contains { $0.contains("1,010 instead of 5,000 calls") } && open.contains { $0.contains("ended early") })
    #expect(Self.report(Self.result(.open(callsPerSecond: 1_010, .constant))).warnings.isEmpty)
  }

  @Test("a server that knows nobody, a busy and a late load are told") func moreWarnings() {
    var result = LoadResult(LoadPlan(endpoint: .loopback()))
    var tally = Tally()
    tally.latencies.record(400_000)
    tally.verdicts = .of(allowed: 1, unknown: 2)
    _ = result.add(tally, ofSecond: 1)
    var findings = ThreadFindings()
    findings.latenciesByKind[0].record(400_000)
    findings.lags.record(300_000)
    (findings.processorNanoseconds, findings.elapsedNanoseconds) = (95, 100)
    result.add((findings: [findings], trouble: nil))
    let warnings = LoadReport(settings: [], result: result).warnings
    for text in ["bench load", "95.0 % of a core", "300 µs"] { #expect(warnings.contains { $0.contains(text) }, "\(text)") }
    #expect(warnings.count == 3)
  }

  @Test(
    "durations have three digits and a unit that suits",
    arguments: [
      (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (12_345, "12.3 µs"), (999_499, "999 µs"), (1_250_000, "1.25 ms"),
      (9_994_000, "9.99 ms"), (9_996_000, "10.0 ms"), (99_960_000, "100 ms"), (61_000_000_000, "61.0 s"),
    ] as [(UInt64, String)])
  func durations(nanoseconds: UInt64, text: String) {
    #expect(nanoseconds.asDuration == text)
  }

  @Test(
    "counts are grouped by thousands",
    arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000"), (1_000_001, "1,000,001")])
  func grouping(count: Int, text: String) {
    #expect(count.grouped == text)
  }

  @Test("shares stand at equal distances for each digit nine") func shareAxis() {
    let axis = Axis.shares("", of: 10_000)
    #expect(axis.marks.map(\.text) == ["0 %", "90 %", "99 %", "99.9 %", "99.99 %"])
    for (mark, share) in zip(axis.marks, [0, 0.9, 0.99, 0.999, 0.9999]) {
      #expect(abs(axis.place(of: share) - mark.place) < 1e-9)
    }
    #expect(axis.place(of: 1) == 1)
  }

  @Test("axes hold what they are made for, with marks at round numbers") func axes() {
    let linear = Axis.linear("", upTo: 730) { "\(Int($0))" }
    #expect(linear.marks.map(\.text) == ["0", "100", "200", "300", "400", "500", "600", "700", "800"])
    #expect(linear.place(of: 0) == 0 && linear.place(of: 400) == 0.5 && linear.place(of: 900) == 1)
    let decades = Axis.logarithmic("", from: 30, upTo: 5_000) { "\(Int($0))" }
    #expect(decades.marks.map(\.text) == ["10", "100", "1000", "10000"])
    #expect(abs(decades.place(of: 100) - 1.0 / 3) < 1e-9)
  }
}
