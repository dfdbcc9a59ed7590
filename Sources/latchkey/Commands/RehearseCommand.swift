import JSON
import Platform

extension Command {
  static let rehearse = Command(
    name: "rehearse", summary: "runs scenario files against servers of their own, and says what held",
    operands: [Operand(name: "FILE", meaning: "a scenario; docs/scenarios.md has the format", isRepeatable: true)],
    options: [Option(flag: "--json", "prints a JSON object a scenario, a line each")],
    statuses: [
      (.success, "all held"), (.no, "something didn't"), (.failure, "usage, or a file isn't a scenario; the others were run"),
    ],
    example: "latchkey rehearse refund.json",
    action: .blocking { arguments in
      // Before any other thread, since threads inherit the mask that holds the signals back.
      let interruption = try Interruption()
      return try waiting { await rehearse(arguments, until: interruption) }
    })

  private static func rehearse(_ arguments: Arguments, until interruption: Interruption) async -> ExitStatus {
    let files = arguments.words
    let scenarios = files.compactMap(readScenario)
    var passed = 0
    await forEachReport(of: scenarios, until: interruption) { report in
      if report.isPassed { passed += 1 }
      Console.sayAtOnce(arguments.has(.json) ? report.json.compact : report.inWords)
    }
    let unreadable = files.count - scenarios.count
    if !arguments.has(.json) {
      let more = unreadable > 0 ? ", \(unreadable) can't be read" : ""
      Console.say("\(passed) passed, \(scenarios.count - passed) failed\(more)")
    }
    if unreadable > 0 || interruption.hasCome { return .failure }
    return passed == scenarios.count ? .success : .no
  }

  /// Reads a scenario; says what is wrong with it and gives nil where it is none.
  private static func readScenario(_ path: String) -> Scenario? {
    do {
      let bytes = try InputFile.contents(path)
      do throws(JSONError) {
        return try Scenario(parsing: bytes, file: path)
      } catch {
        throw Failure("\(path): \(error)")
      }
    } catch {
      Console.complain("latchkey rehearse: \(error)")
      return nil
    }
  }

  /// How many scenarios run at a time: a server mostly waits for its disk.
  private static let parallelScenarios = 4

  /// Runs scenarios, and gives their reports in the scenarios' order, each as soon as those before it are there.
  private static func forEachReport(
    of scenarios: [Scenario], until interruption: Interruption, _ body: (Rehearsal.Report) -> Void
  ) async {
    await withTaskGroup(of: (Int, Rehearsal.Report).self) { group in
      var waiting: [Int: Rehearsal.Report] = [:]
      var next = 0
      for (index, scenario) in scenarios.enumerated() {
        if index >= parallelScenarios, let (done, report) = await group.next() { waiting[done] = report }
        group.addTask { (index, await Rehearsal.run(scenario, until: interruption)) }
        while let report = waiting.removeValue(forKey: next) {
          body(report)
          next += 1
        }
      }
      for await (done, report) in group {
        waiting[done] = report
        while let report = waiting.removeValue(forKey: next) {
          body(report)
          next += 1
        }
      }
    }
  }
}

extension Rehearsal.Report {
  /// One line if all held, else one more for each mismatch.
  fileprivate var inWords: String {
    let head = "\(isPassed ? "ok  " : "FAIL") \(file)\(name.isEmpty ? "" : ": \(name)") (\(counted(stepCount, "step")))"
    return ([head] + mismatches.map { "     \($0.inWords)" }).joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    [
      "file": .string(file), "name": .string(name), "passed": .boolean(isPassed), "steps": .integer(Int64(stepCount)),
      "mismatches": .array(mismatches.map(\.json)),
    ]
  }
}

extension Rehearsal.Mismatch {
  fileprivate var inWords: String { step == 0 ? message : "step \(step) (line \(line)): \(message)" }

  fileprivate var json: JSONValue {
    ["step": .integer(Int64(step)), "line": .integer(Int64(line)), "message": .string(message)]
  }
}
