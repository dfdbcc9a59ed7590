import LatchkeyWire

extension Latchkey {
  /// Tells every change of an answer, of everyone or of some customers or entitlements, as it happens.
  ///
  ///     for try await event in latchkey.watchChanges(.with { $0.entitlements = ["pro"] }) {
  ///       if let change = event.change, !change.allowed { stopWork(of: change.customerID) }
  ///     }
  ///
  /// Each change comes once. The changes of one position come together, once all of them are here; an event with `checkpoint`
  /// carries a position from which another watch goes on. Leaving the loop gives the watch up.
  ///
  /// - Parameter resumes: goes on by itself from the last position when the connection is lost or the server ends; if not, or
  ///   where the present answers weren't all told yet, the loop throws UNAVAILABLE then. A server that no longer keeps what
  ///   follows the position ends it with OUT_OF_RANGE.
  ///
  /// A slow reader costs bounded memory: the watch is given up when 65,536 events wait, and goes on behind them once they are
  /// read. Only among the present answers, and where a single position has more changes than that and the reader can't keep up,
  /// there is nowhere to go on from, and the loop throws RESOURCE_EXHAUSTED; so it does whenever it isn't to resume.
  public func watchChanges(_ request: WatchChangesRequest = WatchChangesRequest(), resumes: Bool = true) -> WatchedChanges {
    WatchedChanges(latchkey: self, request: request, resumes: resumes)
  }
}

/// The events of a watch.
///
///     for try await event in latchkey.watchChanges() { print(event.position?.revision ?? 0) }
public struct WatchedChanges: AsyncSequence, Sendable {
  /// Kept, since a client that nothing refers to closes its connection.
  let latchkey: Latchkey
  let request: WatchChangesRequest
  let resumes: Bool
  /// How many events may wait for the reader. A connection is shared, so that a slow reader doesn't hold it up.
  var bufferLimit = 65_536

  /// Begins a watch, at once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(latchkey: latchkey, request: request, resumes: resumes, bufferLimit: bufferLimit)
  }

  /// A place between two events.
  public struct Iterator: AsyncIteratorProtocol {
    private let latchkey: Latchkey
    private let resumes: Bool
    private let bufferLimit: Int
    private var stream: MessageStream
    private var messages: AsyncStream<[UInt8]>.Iterator
    private var place: WatchPlace
    /// How often in a row the watch ended before it told anything.
    private var failures = 0
    /// Whether it ever told anything: a command line doesn't wait for a server that isn't there.
    private var hasBegun = false

    init(latchkey: Latchkey, request: WatchChangesRequest, resumes: Bool, bufferLimit: Int) {
      self.latchkey = latchkey
      self.resumes = resumes
      self.bufferLimit = bufferLimit
      place = WatchPlace(request)
      (stream, messages) = Self.begin(latchkey, request, bufferLimit)
    }

    private static func begin(
      _ latchkey: Latchkey, _ request: WatchChangesRequest, _ bufferLimit: Int
    ) -> (MessageStream, AsyncStream<[UInt8]>.Iterator) {
      let ends = latchkey.engine.stream(Question(.watchChanges, request), before: nil, bufferLimit: bufferLimit)
      return (ends.stream, ends.messages.makeAsyncIterator())
    }

    /// Awaits the next event; a watch has no end but an error.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LatchkeyError) -> WatchEvent? {
      while true {
        if let event = place.next() { return event }
        if let bytes = await messages.next(isolation: actor) {
          (failures, hasBegun) = (0, true)
          place.take(try Answer.message(bytes))
          continue
        }
        let (request, pause) = try resumption(after: stream.error)
        do { try await Task.sleep(for: pause) } catch { throw .cancelled() }
        (stream, messages) = Self.begin(latchkey, request, bufferLimit)
      }
    }

    /// What goes on where a watch ended, and after which pause.
    ///
    /// - Throws: the error, where it doesn't go on.
    private mutating func resumption(
      after error: LatchkeyError?
    ) throws(LatchkeyError) -> (request: WatchChangesRequest, pause: Duration) {
      if Task.isCancelled { throw .cancelled() }
      let error = error ?? LatchkeyError(.unavailable, "the server ended the watch")
      // Whether a watch was done is no question; it ended with its connection.
      let isLost = error.outcomeIsUnknown || error.code == .unavailable
      // Too much waited, here or at the server. What was told is read by now; going on makes sense only where that was something.
      let wasBehind = error.code == .resourceExhausted && place.hasMoved
      guard isLost || wasBehind else { throw error }
      let mayGoOn = resumes && (hasBegun || latchkey.options.waitsForServer)
      guard mayGoOn, let request = place.resumption else {
        throw LatchkeyError(isLost ? .unavailable : error.code, error.message)
      }
      failures += 1
      var random = SystemRandomNumberGenerator()
      return (request, latchkey.options.backoff.wait(afterFailures: failures, using: &random))
    }
  }
}

/// Which events of a watch are complete, and where it can be resumed.
struct WatchPlace: Sendable {
  private var request: WatchChangesRequest
  /// Whether the present answers are being told, of which a part is nothing to go on from.
  private var isInSnapshot: Bool
  /// Whether the watch got to another position since it began or was resumed.
  private(set) var hasMoved = false
  /// Events of a position of which more is to come.
  private var incomplete: [WatchEvent] = []
  /// Events to be read, the next one last.
  private var ready: [WatchEvent] = []

  init(_ request: WatchChangesRequest) {
    self.request = request
    isInSnapshot = request.snapshotFirst
  }

  /// The request that goes on where this one ended, told that the watch was cut off; nil where the present answers were cut off.
  var resumption: WatchChangesRequest? {
    mutating get {
      (incomplete, hasMoved) = ([], false)
      return isInSnapshot ? nil : request
    }
  }

  /// Takes an event of the server.
  mutating func take(_ event: WatchEvent) {
    incomplete.append(event)
    if event.checkpoint {
      hasMoved = hasMoved || event.position != request.from
      request.from = event.position
      request.snapshotFirst = false
      isInSnapshot = false
    }
    guard event.checkpoint || isInSnapshot else { return }
    ready = incomplete.reversed()
    incomplete = []
  }

  /// The next event to read; nil where none is complete.
  mutating func next() -> WatchEvent? { ready.popLast() }
}
