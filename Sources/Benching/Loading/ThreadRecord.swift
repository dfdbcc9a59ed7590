/// What a thread writes down of its calls: second by second for the others to see, and findings for the end.
struct ThreadRecord {
  private let times: LoadTimes
  /// The second that is being written down, since the start.
  private var second = 0
  private var tally = Tally()
  var findings = ThreadFindings()

  init(_ times: LoadTimes) { self.times = times }

  /// Tells of the seconds that are over; gives false where the thread shall stop.
  mutating func passTime(to now: UInt64, telling progress: Progress) -> Bool {
    let current = times.second(of: now)
    var goesOn = true
    while second < current { goesOn = tellSecond(to: progress) }
    return goesOn
  }

  /// Tells of the second that isn't over.
  mutating func tellSecond(to progress: Progress) -> Bool {
    defer { (tally, second) = (Tally(), second + 1) }
    return progress.tell(tally, ofSecond: second)
  }

  /// Writes down an answer. A call that was due in the warm-up and answered later is left out.
  mutating func note(_ call: CallsInFlight.Call, failure: String?, _ verdicts: Verdicts, at now: UInt64) {
    findings.answers += 1
    let latency = now > call.due ? now - call.due : 0
    let counts = call.due >= times.countedFrom
    if counts || now < times.countedFrom { tally.add(latency: latency, failure: failure, verdicts) }
    if counts, failure == nil { findings.latenciesByKind[Int(call.kind.rawValue)].record(latency) }
  }

  /// Writes down how late a call of an open schedule was made, or that it had to wait for an answer to another.
  mutating func noteMaking(due: UInt64, now: UInt64, hasRoomSince: UInt64) {
    guard due >= times.countedFrom else { return }
    if due >= hasRoomSince { findings.lags.record(now - due) } else { findings.waitedForPlace += 1 }
  }

  /// Writes down a call that got no answer.
  mutating func noteUnanswered(_ call: CallsInFlight.Call, at now: UInt64) {
    guard call.due >= times.countedFrom else { return }
    findings.unanswered += 1
    findings.latenciesByKind[Int(call.kind.rawValue)].record(now > call.due ? now - call.due : 0)
  }

  /// Writes down a call that was due and wasn't made before the end.
  mutating func noteUnsent(due: UInt64, end: UInt64) {
    guard due >= times.countedFrom else { return }
    findings.unsent += 1
    findings.unsentLatencies.record(end - due)
  }
}
