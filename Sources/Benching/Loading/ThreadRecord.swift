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

  /// What the answers of this second say about customers.
  var verdicts: Verdicts {
    get { tally.verdicts }
    _modify { yield &tally.verdicts }
  }

  /// Writes down that a call was answered well; gives whether its verdicts belong to this second.
  mutating func note(_ call: CallsInFlight.Call, answeredAt now: UInt64) -> Bool {
    findings.answers += 1
    guard isTold(call, at: now) else { return false }
    let latency = now > call.due ? now - call.due : 0
    tally.latencies.record(latency)
    if call.due >= times.countedFrom { findings.latenciesByKind[Int(call.kind.rawValue)].record(latency) }
    return true
  }

  /// Writes down that a call failed, by the name of the status.
  mutating func note(_ call: CallsInFlight.Call, failedWith status: String, at now: UInt64) {
    findings.answers += 1
    if isTold(call, at: now) { tally.failures[status, default: 0] += 1 }
  }

  /// A call that was due in the warm-up and answered later is left out.
  private func isTold(_ call: CallsInFlight.Call, at now: UInt64) -> Bool {
    call.due >= times.countedFrom || now < times.countedFrom
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
