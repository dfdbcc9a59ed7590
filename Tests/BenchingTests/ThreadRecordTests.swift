import Testing

@testable import Benching

/// What a thread writes down, with time as a parameter: a warm-up of two seconds, then calls that count.
struct ThreadRecordTests {
  private static let second: UInt64 = 1_000_000_000
  private static let times = {
    var plan = LoadPlan(endpoint: .loopback())
    (plan.warmUpSeconds, plan.seconds) = (2, 3)
    return LoadTimes(plan, start: 10 * second)
  }()

  private static func call(due: UInt64, _ kind: CallKind = .check) -> CallsInFlight.Call {
    .init(kind: kind, due: due, sent: due)
  }

  /// What the seconds since the start were told, and the findings.
  private static func told(_ work: (inout ThreadRecord, Progress) -> Void) -> (answers: [UInt64], findings: ThreadFindings) {
    let progress = Progress(threads: 1)
    var record = ThreadRecord(times)
    work(&record, progress)
    _ = record.tellSecond(to: progress)
    progress.finish(record.findings)
    var answers: [UInt64] = []
    while let (second, tally) = progress.nextSecond() {
      #expect(second == answers.count)
      answers.append(tally.latencies.count)
    }
    return (answers, record.findings)
  }

  @Test("the moments of a load follow one another") func moments() {
    #expect(Self.times.countedFrom == 12 * Self.second && Self.times.end == 15 * Self.second)
    let moments = [0, 10 * Self.second, 11 * Self.second - 1, 11 * Self.second, 12 * Self.second + 5]
    #expect(moments.map(Self.times.second) == [0, 0, 0, 1, 2])
  }

  @Test("answers belong to the second in which they came, and seconds without any are told") func seconds() {
    let (answers, findings) = Self.told { record, progress in
      for moment in [10.5, 10.7, 12.1, 14.9] {
        let now = UInt64(moment * 1e9)
        _ = record.passTime(to: now, telling: progress)
        let isTold = record.note(Self.call(due: now - 1_000), answeredAt: now)
        #expect(isTold)
      }
    }
    #expect(answers == [2, 0, 1, 0, 1])
    #expect(findings.answers == 4 && findings.latenciesByKind[0].count == 2)
  }

  @Test("a call that was due in the warm-up and answered later is in no figure") func warmUp() {
    let (answers, findings) = Self.told { record, progress in
      _ = record.passTime(to: 12 * Self.second, telling: progress)
      let isOldTold = record.note(Self.call(due: 12 * Self.second - 1), answeredAt: 12 * Self.second)
      let isNewTold = record.note(Self.call(due: 12 * Self.second), answeredAt: 12 * Self.second)
      #expect(!isOldTold && isNewTold)
    }
    #expect(answers == [0, 0, 1] && findings.latenciesByKind[0].count == 1)
  }

  @Test("a late call counts as the load's own lateness only where there was room when it was due") func lateness() {
    let (_, findings) = Self.told { record, _ in
      record.noteMaking(due: 12 * Self.second, now: 12 * Self.second + 700, hasRoomSince: 12 * Self.second + 1)
      record.noteMaking(due: 12 * Self.second, now: 12 * Self.second + 40, hasRoomSince: 12 * Self.second)
      record.noteMaking(due: 12 * Self.second - 1, now: 12 * Self.second + 90, hasRoomSince: 0)
    }
    #expect(findings.waitedForPlace == 1 && findings.lags.count == 1 && findings.lags.maximum == 40)
  }

  @Test("calls without an answer and calls that weren't made count with the time that they waited") func unanswered() {
    let (_, findings) = Self.told { record, _ in
      record.noteUnanswered(Self.call(due: 13 * Self.second, .list), at: 15 * Self.second)
      record.noteUnanswered(Self.call(due: 11 * Self.second), at: 15 * Self.second)
      record.noteUnsent(due: 14 * Self.second, end: 15 * Self.second)
      record.noteUnsent(due: 11 * Self.second, end: 15 * Self.second)
    }
    #expect(findings.unanswered == 1 && findings.unsent == 1)
    #expect(findings.latenciesByKind[Int(CallKind.list.rawValue)].maximum == 2 * Self.second)
    #expect(findings.unsentLatencies.maximum == Self.second)
  }
}
