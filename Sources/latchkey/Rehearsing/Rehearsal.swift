import LatchkeyClient
import LatchkeyWire
import Platform

/// One run of a scenario against a server of its own.
struct Rehearsal {
  /// What held and what didn't.
  struct Report: Sendable {
    let file: String
    let name: String
    let stepCount: Int
    var mismatches: [Mismatch] = []

    var isPassed: Bool { mismatches.isEmpty }
  }

  /// Something that wasn't as the scenario says.
  struct Mismatch: Equatable, Sendable {
    /// Counted from 1; 0 for what isn't about a step.
    let step: Int
    let line: Int
    let message: String
  }

  /// Runs a scenario to its end, or to a step after which the rest would mean nothing.
  static func run(_ scenario: Scenario, until interruption: Interruption) async -> Report {
    var report = Report(file: scenario.file, name: scenario.name, stepCount: scenario.steps.count)
    do {
      let server = try await RehearsedServer(settings: scenario.settings, catalog: scenario.catalog)
      for (index, step) in scenario.steps.enumerated() {
        if interruption.hasCome { throw Failure("interrupted before step \(index + 1)") }
        let (messages, goesOn) = await outcome(of: step.action, on: server)
        report.mismatches += messages.map { Mismatch(step: index + 1, line: step.line, message: $0) }
        if !goesOn { break }
      }
      try await server.end(.clean)
    } catch {
      report.mismatches.append(Mismatch(step: 0, line: 1, message: "\(error)"))
    }
    return report
  }

  private static func outcome(of action: Scenario.Action, on server: RehearsedServer) async -> ([String], goesOn: Bool) {
    do {
      return (try await perform(action, on: server), true)
    } catch let error as LatchkeyError {
      return (["failed: \(error)"], error.code != .unavailable)
    } catch {
      return (["failed: \(error)"], false)
    }
  }

  /// Performs a step; gives what wasn't as expected.
  private static func perform(_ action: Scenario.Action, on server: RehearsedServer) async throws -> [String] {
    let latchkey = server.latchkey
    switch action {
    case .record(let request, let expected):
      return expected.mismatches(with: await result { () throws(LatchkeyError) in try await latchkey.recordTransaction(request) })
    case .check(let request, let expected):
      return expected.mismatches(with: try await latchkey.call(.checkAccess, request))
    case .entitlements(let request, let expected):
      let answer: ListEntitlementsResponse = try await latchkey.call(.listEntitlements, request)
      return Comparison.sets("entitlements", expected, Set(answer.entitlements.filter(\.allowed).map(\.entitlement)))
    case .rebuild(let request, let corrections):
      return try await rebuild(request, corrections, through: latchkey)
    case .catalog(let catalog): try await server.replace(catalog: catalog)
    case .restart(let ending): try await server.restart(ending)
    case .snapshot: _ = try await latchkey.takeSnapshot()
    case .report(let expected): return expected.mismatches(with: try await latchkey.refundReport())
    case .grant(let request): let _: GrantAccessResponse = try await latchkey.call(.grantAccess, request)
    }
    return []
  }

  private static func rebuild(
    _ request: RebuildEntitlementsRequest, _ expected: UInt64?, through latchkey: Latchkey
  ) async throws -> [String] {
    var summary: RebuildSummary?
    for try await progress in latchkey.rebuildEntitlements(request) { summary = progress.summary ?? summary }
    guard let summary else { return ["rebuild: the server sent no summary"] }
    return Comparison.values("corrections", expected, summary.corrections)
  }

  private static func result<Answer>(
    _ body: () async throws(LatchkeyError) -> Answer
  ) async -> Result<Answer, LatchkeyError> {
    do throws(LatchkeyError) { return .success(try await body()) } catch { return .failure(error) }
  }
}
