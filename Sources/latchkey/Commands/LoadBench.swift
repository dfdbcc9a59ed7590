import Benching
import Entitlements
import LatchkeyWire
import Platform

/// Loads a server as a command line says, shows how it goes, and reports.
struct LoadBench {
  private var plan: LoadPlan
  private let population: Population
  /// What is drawn once the server is filled; nil: it is only filled.
  private let drawn: DrawnLoad?
  /// Whether the server is one of the bench's own.
  private let startsServer: Bool
  /// The server's process, where that is known.
  private let serverProcess: Int32?
  private let reportPath: String?
  private let printsJSON: Bool

  /// A load of calls.
  init(_ arguments: Arguments) throws(UsageError) {
    plan = try arguments.loadPlan(isFilling: false)
    drawn = try arguments.drawnLoad(on: plan.language)
    population = try arguments.population()
    startsServer = try arguments.benchTarget() == nil
    serverProcess = try arguments.serverProcess()
    (reportPath, printsJSON) = (arguments.reportPath, arguments.printsJSON)
  }

  /// What fills a server that runs.
  init(filling arguments: Arguments) throws(UsageError) {
    try arguments.checkFilling()
    plan = try arguments.loadPlan(isFilling: true)
    drawn = nil
    population = try arguments.population()
    startsServer = false
    serverProcess = try arguments.serverProcess()
    (reportPath, printsJSON) = (arguments.reportPath, arguments.printsJSON)
  }

  /// Does it all.
  /// - Returns: `failure` where the load ended early, or a server wasn't filled with all.
  func run() async throws -> ExitStatus {
    OpenFiles.raiseLimit()
    let page = try reportPath.map { path throws(SystemError) in try ReportFile(path) }
    guard startsServer else { return try await load(plan, serverProcess: serverProcess, page) }
    let server = try await RehearsedServer(settings: Settings(), catalog: Catalog())
    guard let endpoint = Endpoint(server.address) else { throw Failure("the server listens at \(server.address)") }
    try await fill(endpoint)
    var plan = plan
    plan.endpoint = endpoint
    let status = try await load(plan, serverProcess: server.processID, page)
    try await server.end(.kill)
    return status
  }

  /// Makes the calls, and reports.
  private func load(_ plan: LoadPlan, serverProcess: Int32?, _ page: ReportFile?) async throws -> ExitStatus {
    let calls = drawn.map(LoadRun.Calls.drawn) ?? .filling(population, at: Clock.wallMilliseconds())
    let before = serverProcess.flatMap(Clock.processorNanoseconds)
    let result = try await LoadBench.run(plan, calls, isQuiet: false)
    let after = serverProcess.flatMap(Clock.processorNanoseconds)
    let spent = before.flatMap { before in after.map { $0 - before } }
    try report(LoadReport(settings: settings(plan), result: result, serverNanoseconds: spent), on: page)
    let isIncomplete = drawn == nil && result.tally.failureCount > 0
    return result.trouble == nil && !isIncomplete ? .success : .failure
  }

  /// Fills the bench's own server.
  private func fill(_ endpoint: Endpoint) async throws {
    var filling = LoadPlan(endpoint: endpoint)
    (filling.warmUpSeconds, filling.seconds, filling.depth, filling.deadline) = (0, nil, 32, plan.deadline)
    Console.complain("filling a server with \(counted(population.customerCount, "customer"))")
    let result = try await LoadBench.run(filling, .filling(population, at: Clock.wallMilliseconds()), isQuiet: true)
    if let trouble = result.trouble { throw Failure("filling the server ended early: \(trouble)") }
    guard result.tally.failureCount == 0 else { throw Failure("the server refused customers: \(result.tally.failures)") }
    Console.complain("\(result.answersInAll.grouped) recordings, \(result.rate.grouped) a second")
  }

  private static func run(_ plan: LoadPlan, _ calls: LoadRun.Calls, isQuiet: Bool) async throws -> LoadResult {
    let ended: Result<LoadResult, LoadTrouble> = await blocking {
      do throws(LoadTrouble) {
        return .success(try LoadRun.run(plan, calls) { if !isQuiet { Console.complain($0.words) } })
      } catch { return .failure(error) }
    }
    do { return try ended.get() } catch { throw Failure("\(error). Is \(plan.language.name) running at \(plan.endpoint)?") }
  }

  // MARK: Report

  private func report(_ report: LoadReport, on page: ReportFile?) throws {
    if printsJSON {
      Console.complain(report.words)
      Console.say(report.json.pretty)
    } else {
      Console.say(report.words)
    }
    guard let page else { return }
    try page.write(report.html(date: Time(milliseconds: Clock.wallMilliseconds()).iso8601))
    Console.complain("wrote \(reportPath ?? "")")
  }

  /// The settings in words.
  private func settings(_ plan: LoadPlan) -> [(name: String, value: String)] {
    let seconds = plan.seconds.map { "\($0) s after \(plan.warmUpSeconds) s of warm-up" } ?? "until all is recorded"
    let batch = drawn.map { $0.mix.weights.contains { $0.kind == .batch } ? ", batches of \($0.batch)" : "" } ?? ""
    return [
      ("server", "\(plan.language.name) at \(plan.endpoint)" + (startsServer ? ", of the bench's own" : "")),
      ("customers", "\(population.customerCount.grouped), seed \(plan.seed)"),
      ("calls", drawn.map { $0.mix.text + batch } ?? "what fills the server"),
      ("keys", drawn?.keys.text ?? "each once"),
      ("connections", "\(plan.connections) with \(counted(plan.depth, "call")) in flight, \(counted(plan.threads, "thread"))"),
      ("pace", LoadBench.words(plan.pace)), ("time", seconds),
    ]
  }

  private static func words(_ pace: Pace) -> String {
    guard case .open(let rate, let arrivals) = pace else { return "closed loop" }
    let count = rate.rounded() == rate ? rate.grouped : "\(rate)"
    return "open loop, \(count) calls a second, \(arrivals == .constant ? "at constant distances" : "by chance (Poisson)")"
  }
}
