import Platform

/// Where the calls of a load come from, one after the other.
package protocol CallSource {
  /// Appends the bytes of the next call, and gives its kind; nil, and nothing, once there are no more.
  /// - Parameter id: what the answer will name.
  mutating func next(id: UInt32, to outgoing: inout ByteQueue) -> CallKind?
}

/// Calls without end, drawn by a mix about customers drawn by a distribution.
package struct DrawnCalls: CallSource {
  private let population: Population
  private let mix: CallMix
  private let keys: Keys
  /// By the number of the kind; nil for what isn't in the mix.
  private var requests: [PreparedRequest?]
  private var random: RandomNumbers
  /// Of another seed in each run, so that no purchase was recorded before.
  private var transactions: RandomNumbers

  /// Makes the calls of one thread, each thread's of a seed of its own.
  package init(_ load: DrawnLoad, in dialect: some Dialect, thread: Int) {
    (population, mix, keys) = (load.population, load.mix, Keys(load.keys, of: load.population))
    requests = CallKind.allCases.map { kind in
      load.mix.weights.contains { $0.kind == kind } ? dialect.prepared(kind, batch: load.batch) : nil
    }
    random = RandomNumbers(seed: RandomNumbers.mixed(load.seed &+ UInt64(thread) &+ 1))
    transactions = RandomNumbers(seed: RandomNumbers.mixed(Clock.monotonicNanoseconds() &+ UInt64(thread)) ^ load.seed)
  }

  package mutating func next(id: UInt32, to outgoing: inout ByteQueue) -> CallKind? {
    let kind = mix.next(&random)
    let index = Int(kind.rawValue)
    for place in 0..<(requests[index]?.customerCount ?? 0) {
      let customer = keys.next(&random)
      requests[index]?.write(population.id(of: customer), population.household(of: customer).product, at: place)
    }
    if kind == .record { requests[index]?.write(transaction: TransactionID(transactions.next())) }
    requests[index]?.write(id: id)
    if let bytes = requests[index]?.bytes { outgoing.append(bytes) }
    return kind
  }
}

/// What drawn calls are drawn from.
package struct DrawnLoad: Sendable {
  package var population: Population
  package var mix: CallMix
  package var keys: KeyDistribution
  /// How many customers a batch asks about.
  package var batch: Int
  package var seed: UInt64

  /// Makes what calls are drawn from.
  package init(population: Population, mix: CallMix, keys: KeyDistribution, batch: Int, seed: UInt64) {
    (self.population, self.mix, self.keys, self.batch, self.seed) = (population, mix, keys, batch, seed)
  }
}

/// The calls that fill a server with a population, whose households are dealt out to the threads in turns.
package struct FillingCalls<Language: Dialect>: CallSource {
  private let dialect: Language
  private let population: Population
  private let now: Int64
  private let threads: Int
  private var household = 0
  /// The first customer of the next household.
  private var customer = 0
  private let thread: Int
  private var waiting: ArraySlice<PreparedRequest> = []

  /// Makes the calls of one of so many threads.
  /// - Parameter now: the moment up to which Apple's documents come, in milliseconds since 1970.
  package init(_ population: Population, in dialect: Language, at now: Int64, thread: Int, of threads: Int) {
    (self.dialect, self.population, self.now) = (dialect, population, now)
    (self.thread, self.threads) = (thread, threads)
  }

  package mutating func next(id: UInt32, to outgoing: inout ByteQueue) -> CallKind? {
    while waiting.isEmpty {
      guard customer < population.customerCount else { return nil }
      let people = population.household(of: customer)
      if household % threads == thread { waiting = dialect.filling(people, of: population, at: now)[...] }
      household += 1
      customer = people.people.upperBound
    }
    guard var request = waiting.popFirst() else { return nil }
    request.write(id: id)
    outgoing.append(request.bytes)
    return .record
  }
}
