import Glibc

/// What decides when calls are made.
package enum Pace: Equatable, Sendable {
  /// A call is made when an earlier one was answered, so that the server's speed sets the rate.
  case closed
  /// Calls are due at a rate, whatever the server does; a call that can't be sent when it is due counts its wait.
  case open(callsPerSecond: Double, Arrivals)

  /// How far calls are apart.
  package enum Arrivals: String, CaseIterable, Sendable {
    /// All by the same time.
    case constant
    /// By chance, as calls of many independent users are: a Poisson process.
    case poisson
  }
}

/// The moments at which the calls of one thread are due, in nanoseconds of `Clock.monotonicNanoseconds`.
///
/// An open schedule goes on by itself: calls that are late wait in it, in no memory, and keep the moment at which they were due. So
/// a server that stalls can't keep calls from being counted (coordinated omission).
package struct Schedule: Sendable {
  private let pace: Pace
  private let start: UInt64
  /// From when on no call is due.
  package let end: UInt64
  /// Between two calls of this thread, in nanoseconds; on average, if by chance.
  private let spacing: Double
  /// From the start to the next call that is due, in nanoseconds.
  private var next: Double
  private var taken = 0.0
  private let phase: Double
  private var random: RandomNumbers

  /// Makes the schedule of one thread.
  /// - Parameters:
  ///   - start: when the first call is due at the earliest.
  ///   - end: from when on no call is due.
  ///   - threads: among how many threads the rate is divided; with constant spacing their calls interleave.
  ///   - seed: of calls by chance.
  package init(_ pace: Pace, from start: UInt64, to end: UInt64, thread: Int = 0, of threads: Int = 1, seed: UInt64 = 0) {
    (self.pace, self.start, self.end) = (pace, start, end)
    random = RandomNumbers(seed: seed)
    phase = Double(thread) / Double(threads)
    guard case .open(let rate, let arrivals) = pace else {
      (spacing, next) = (0, 0)
      return
    }
    spacing = 1e9 * Double(threads) / rate
    next = arrivals == .constant ? phase * spacing : Schedule.chance(&random) * spacing
  }

  /// When the next call of an open schedule is due; nil where the end comes first, and where calls are due by answers alone.
  package var nextDue: UInt64? {
    guard pace != .closed else { return nil }
    let due = start + UInt64(next)
    return due < end ? due : nil
  }

  /// Takes the next call that is due by now, and gives when it was; nil if there is none.
  package mutating func take(at now: UInt64) -> UInt64? {
    guard case .open(_, let arrivals) = pace else { return now < end ? now : nil }
    guard let due = nextDue, due <= now else { return nil }
    switch arrivals {
    case .constant:
      taken += 1
      next = (taken + phase) * spacing
    case .poisson: next += Schedule.chance(&random) * spacing
    }
    return due
  }

  /// A random distance whose mean is 1, as it is between independent events.
  private static func chance(_ random: inout RandomNumbers) -> Double { -log(1 - random.nextFraction()) }
}
