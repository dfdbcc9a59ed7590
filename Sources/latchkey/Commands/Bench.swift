import LatchkeyClient
import LatchkeyWire
import Platform

/// How a comparison loads its servers.
struct BenchLoad: Sendable {
  let customers: Int
  var callers: Int
  let seconds: Int

  init(_ arguments: Arguments) throws(UsageError) {
    customers = try arguments.count(.benchCustomers, 1...10_000_000)
    callers = try arguments.count(.callers, 1...4_096)
    seconds = try arguments.count(.benchSeconds, 1...3_600)
  }

  func customer(_ number: Int) -> String { "bench-\(number)" }
}

/// A closed loop over one connection of the client library: each caller asks again when it was answered. What it measures has this client in it.
struct Bench {
  let latchkey: Latchkey
  let load: BenchLoad

  /// Records every customer once.
  @discardableResult
  func recordAll() async throws -> Measurement { try await measure(until: nil, share: load.customers, record) }

  /// Checks for some time, and gives how many checks that were.
  func countChecks(for duration: Duration) async throws -> Int {
    try await check(for: duration).latencies.count
  }

  /// Checks for some time.
  func check(for duration: Duration) async throws -> Measurement {
    try await measure(until: ContinuousClock.now + duration, share: .max, check)
  }

  /// Records newer versions of what was recorded, for some time.
  /// - Parameter version: more than that of a call before.
  func change(for duration: Duration, version: Int64) async throws -> Measurement {
    try await measure(until: ContinuousClock.now + duration, share: .max) { number throws(LatchkeyError) in
      try await record(scattered(number), version: version)
    }
  }

  /// A multiplier without a common factor walks over the customers in no order that a cache could follow.
  private func scattered(_ number: Int) -> Int { number &* 2_654_435_761 % load.customers }

  private func record(_ number: Int) async throws(LatchkeyError) { try await record(number, version: 0) }

  private func record(_ number: Int, version: Int64) async throws(LatchkeyError) {
    var request = RecordTransactionRequest()
    request.customerID = load.customer(number)
    var transaction = LatchkeyWire.Transaction()
    transaction.transactionID = "bench-\(number)"
    transaction.productID = "bench.lifetime"
    transaction.type = .nonConsumable
    transaction.purchaseDateMilliseconds = 1_767_225_600_000
    transaction.signedDateMilliseconds = 1_767_225_600_000 + version
    request.transaction = transaction
    _ = try await latchkey.recordTransaction(request)
  }

  private func check(_ number: Int) async throws(LatchkeyError) {
    let customer = load.customer(scattered(number))
    let answer = try await latchkey.checkAccess(customer: customer, entitlement: "bench.lifetime")
    guard answer.allowed else { throw LatchkeyError(.internal, "\(customer) was denied what was recorded: \(answer.reason)") }
  }

  /// What a number of calls took.
  struct Measurement {
    var nanoseconds: UInt64 = 0
    /// Of each call, sorted.
    var latencies: [UInt64] = []

    /// Adds what other calls took, at another time.
    mutating func add(_ other: Measurement) {
      nanoseconds += other.nanoseconds
      latencies = (latencies + other.latencies).sorted()
    }
  }

  /// Has all callers go through the numbers, until they are through or the time is over.
  private func measure(
    until end: ContinuousClock.Instant?, share count: Int, _ call: @escaping @Sendable (Int) async throws(LatchkeyError) -> Void
  ) async throws -> Measurement {
    let began = Clock.monotonicNanoseconds()
    let callers = load.callers
    let latencies = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for caller in 0..<callers {
        group.addTask {
          var latencies: [UInt64] = []
          var number = caller
          while number < count, end.map({ ContinuousClock.now < $0 }) ?? true {
            let sent = Clock.monotonicNanoseconds()
            try await call(number)
            latencies.append(Clock.monotonicNanoseconds() - sent)
            number += callers
          }
          return latencies
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return Measurement(nanoseconds: Clock.monotonicNanoseconds() - began, latencies: latencies.sorted())
  }

  /// Says what calls took.
  func report(_ what: String, _ measurement: Measurement) {
    let latencies = measurement.latencies
    func microseconds(_ share: Double) -> UInt64 {
      latencies.isEmpty ? 0 : latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))] / 1_000
    }
    let rate = UInt64(Double(latencies.count) / (Double(measurement.nanoseconds) / 1e9))
    Console.say(
      "\(what): \(latencies.count) by \(counted(load.callers, "caller")), \(rate) a second; "
        + "p50 \(microseconds(0.5)) µs, p99 \(microseconds(0.99)) µs, p99.9 \(microseconds(0.999)) µs")
  }
}
