import Glibc
import Testing

@testable import Benching

/// When calls are due, with time as a parameter.
struct ScheduleTests {
  private static let second: UInt64 = 1_000_000_000

  /// All that is due at a moment, as it is taken then.
  private static func taken(_ schedule: inout Schedule, at now: UInt64) -> [UInt64] {
    var moments: [UInt64] = []
    while let due = schedule.take(at: now) { moments.append(due) }
    return moments
  }

  @Test("constant calls are due at constant distances, without drift") func constant() {
    var schedule = Schedule(.open(callsPerSecond: 3, .constant), from: 1_000, to: 1_000 + 1_000 * Self.second)
    let moments = Self.taken(&schedule, at: .max - 1)
    #expect(moments.count == 3_000)
    #expect(moments.enumerated().allSatisfy { index, due in abs(Double(due) - 1_000 - Double(index) * 1e9 / 3) < 2 })
  }

  @Test("nothing is due before its moment, and each call once") func inTime() {
    var schedule = Schedule(.open(callsPerSecond: 1_000, .constant), from: 0, to: Self.second)
    #expect(Self.taken(&schedule, at: 0) == [0])
    #expect(schedule.nextDue == 1_000_000)
    #expect(Self.taken(&schedule, at: 999_999).isEmpty)
    #expect(Self.taken(&schedule, at: 2_000_000) == [1_000_000, 2_000_000])
  }

  @Test("calls that were due while nobody looked keep the moments at which they were due", arguments: Pace.Arrivals.allCases)
  func stall(arrivals: Pace.Arrivals) {
    let pace = Pace.open(callsPerSecond: 1_000, arrivals)
    var watched = Schedule(pace, from: 0, to: Self.second, seed: 4)
    var stalled = watched
    let asTheyCame = stride(from: UInt64(0), through: 500_000_000, by: 10_000).flatMap { Self.taken(&watched, at: $0) }
    #expect(Self.taken(&stalled, at: 500_000_000) == asTheyCame)
    #expect(asTheyCame.count > 400)
  }

  @Test("the calls of several threads interleave to those of one", arguments: [2, 3, 7]) func threads(count: Int) {
    let pace = Pace.open(callsPerSecond: 700, .constant)
    var alone = Schedule(pace, from: 5, to: Self.second)
    let together = (0..<count).flatMap { thread in
      var schedule = Schedule(pace, from: 5, to: Self.second, thread: thread, of: count)
      return Self.taken(&schedule, at: Self.second)
    }
    let one = Self.taken(&alone, at: Self.second)
    #expect(together.count == one.count)
    #expect(zip(together.sorted(), one).allSatisfy { $0 > $1 ? $0 - $1 <= 1 : $1 - $0 <= 1 })
  }

  @Test("calls by chance are as far apart as independent ones, and the same for a seed") func poisson() {
    let pace = Pace.open(callsPerSecond: 1_000, .poisson)
    var (schedule, again) = (
      Schedule(pace, from: 0, to: 100 * Self.second, seed: 9), Schedule(pace, from: 0, to: 100 * Self.second, seed: 9)
    )
    let moments = Self.taken(&schedule, at: 100 * Self.second)
    #expect(Self.taken(&again, at: 100 * Self.second) == moments)
    // 100,000 are expected, with a standard deviation of 316; a share of 1/e of the distances is longer than the mean.
    #expect(abs(Double(moments.count) - 100_000) < 5 * 316)
    let long = zip(moments, moments.dropFirst()).count { $1 - $0 > 1_000_000 }
    #expect(abs(Double(long) - Double(moments.count) * exp(-1)) < 5 * 153)
  }

  @Test("a closed schedule has a call whenever one is asked for, until the end") func closed() {
    var schedule = Schedule(.closed, from: 10, to: 20)
    #expect(schedule.take(at: 10) == 10 && schedule.take(at: 10) == 10 && schedule.take(at: 19) == 19)
    #expect(schedule.take(at: 20) == nil && schedule.nextDue == nil)
  }

  @Test("an open schedule ends before its end", arguments: Pace.Arrivals.allCases) func end(arrivals: Pace.Arrivals) {
    var schedule = Schedule(.open(callsPerSecond: 100, arrivals), from: 0, to: Self.second, seed: 1)
    #expect(Self.taken(&schedule, at: .max).allSatisfy { $0 < Self.second })
    #expect(schedule.nextDue == nil)
  }
}
