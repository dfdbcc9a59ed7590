import Platform

/// One thread of a load: makes calls when they are due on connections that have room, and takes the answers.
struct LoadThread<Source: CallSource, Language: Dialect>: ~Copyable {
  private let plan: LoadPlan
  private let times: LoadTimes
  private let progress: Progress
  private var queue: EventQueue
  private let connections: [LoadConnection<Language>]
  private var places: FreePlaces
  private var schedule: Schedule
  private var source: Source
  /// Whether the source has no more calls, and whether the end has come.
  private var (isDry, isEnding) = (false, false)
  /// False once another thread can't go on.
  private var goesOn = true
  /// When to look for overdue answers again.
  private var nextLook: UInt64 = 0
  /// Which connections have bytes for the kernel.
  private var touched: [Int] = []
  /// Since when there is room for calls: what was due before had to wait for an answer, not for this thread.
  private var hasRoomSince: UInt64
  private var record: ThreadRecord

  /// Makes a thread that begins at the start, on connections that the queue watches under their indexes.
  init(
    _ number: Int, of plan: LoadPlan, _ times: LoadTimes, connections: [LoadConnection<Language>], queue: consuming EventQueue,
    source: Source, progress: Progress
  ) {
    (self.plan, self.times, self.progress) = (plan, times, progress)
    (self.connections, self.source) = (connections, source)
    self.queue = queue
    places = FreePlaces(connections: connections.count, depth: plan.depth)
    schedule = Schedule(
      plan.pace, from: times.start, to: times.end, thread: number, of: plan.threads, seed: plan.seed &+ UInt64(number))
    hasRoomSince = times.start
    record = ThreadRecord(times)
  }

  /// Goes on until all calls were made and answered, or it can't.
  mutating func run() -> ThreadFindings {
    let (began, processorBefore) = (Clock.monotonicNanoseconds(), Clock.threadProcessorNanoseconds())
    Thread.wakesPunctually()
    do throws(LoadTrouble) {
      while goesOn, !isOver { try turn() }
    } catch {
      progress.fail(error)
    }
    giveUpRest(at: Clock.monotonicNanoseconds())
    record.findings.processorNanoseconds = Clock.threadProcessorNanoseconds() - processorBefore
    record.findings.elapsedNanoseconds = Clock.monotonicNanoseconds() - began
    _ = record.tellSecond(to: progress)
    return record.findings
  }

  private var isOver: Bool { (isDry || isEnding) && places.areAllFree }

  /// Makes calls, waits for answers, and takes them.
  private mutating func turn() throws(LoadTrouble) {
    try makeCalls(at: Clock.monotonicNanoseconds())
    if isOver { return }
    let count = queue.wait(nanoseconds: patience(at: Clock.monotonicNanoseconds()))
    for index in 0..<count { try take(queue[index]) }
    let now = Clock.monotonicNanoseconds()
    passTime(to: now)
    try checkDeadlines(at: now)
  }

  /// Makes the calls that are due and have room; for the last time when the end has come.
  private mutating func makeCalls(at now: UInt64) throws(LoadTrouble) {
    while !isDry, !isEnding, !places.isEmpty, let due = schedule.take(at: now) {
      let place = places.take()
      guard try connections[place].makeCall(of: &source, due: due, now: now) else {
        places.putBack(place)
        isDry = true
        break
      }
      if touched.last != place { touched.append(place) }
      if plan.pace != .closed { record.noteMaking(due: due, now: now, hasRoomSince: hasRoomSince) }
    }
    isEnding = isEnding || now >= times.end
    for place in touched { try connections[place].flush(queue, token: UInt64(place)) }
    touched.removeAll(keepingCapacity: true)
  }

  /// How long to wait for answers: until the next call is due that has room, or the second is over.
  private func patience(at now: UInt64) -> UInt64 {
    let boundary = min(times.start + UInt64(times.second(of: now) + 1) * 1_000_000_000, isEnding ? .max : times.end)
    let due = isDry || isEnding || places.isEmpty ? nil : schedule.nextDue
    let next = min(boundary, due ?? boundary)
    return next > now ? next - now : 0
  }

  /// Takes what a connection has: answers, or room for bytes.
  private mutating func take(_ event: Event) throws(LoadTrouble) {
    let place = Int(event.token)
    let connection = connections[place]
    if event.isWritable { try connection.flush(queue, token: event.token) }
    guard event.isReadable || event.isBroken else { return }
    try connection.read()
    let now = Clock.monotonicNanoseconds()
    passTime(to: now)
    let count = try connection.takeAnswers(at: now, into: &record)
    if places.isEmpty, count > 0 { hasRoomSince = now }
    for _ in 0..<count { places.putBack(place) }
  }

  private mutating func passTime(to now: UInt64) {
    if !record.passTime(to: now, telling: progress) { goesOn = false }
  }

  /// Looks ten times a second whether an answer is overdue.
  private mutating func checkDeadlines(at now: UInt64) throws(LoadTrouble) {
    guard now >= nextLook else { return }
    nextLook = now + 100_000_000
    for connection in connections {
      guard let oldest = connection.calls.oldest, now > oldest.sent + plan.deadline else { continue }
      throw .noAnswer(callsInFlight: connection.calls.count, milliseconds: plan.deadline / 1_000_000)
    }
  }

  /// Counts the calls that got no answer, and those that were due and weren't made, with the time that they have waited.
  private mutating func giveUpRest(at now: UInt64) {
    for connection in connections {
      for call in connection.calls.all { record.noteUnanswered(call, at: now) }
    }
    guard plan.pace != .closed, !isDry else { return }
    let end = min(now, times.end)
    while let due = schedule.take(at: end) { record.noteUnsent(due: due, end: end) }
  }
}

extension LoadPlan {
  /// How long connections may take to be made: ten seconds more than an answer.
  var connectingNanoseconds: UInt64 { deadline + 10_000_000_000 }
}
