import LatchkeyWire
import Platform

/// One client: its socket, and all that the server remembers of it.
///
/// Only the loop's thread touches it, and no accessor here calls out, so that its accesses can't overlap: they aren't checked at run
/// time, which was a quarter of the instructions of a read with one check.
final class Connection {
  let key: ConnectionKey
  let socket: Socket
  @safe @exclusivity(unchecked) var facts: ConnectionFacts
  @safe @exclusivity(unchecked) var phase = Phase.serving

  /// The stream ids that came so far.
  @safe @exclusivity(unchecked) var streamOrder = StreamOrder()
  /// The streams whose final frame comes later.
  @safe @exclusivity(unchecked) var openStreams = OpenStreams()
  /// True once one of them was cancelled, which the mailbox then remembers.
  @safe @exclusivity(unchecked) var hasCancelledStreams = false

  /// Bytes that came and are not taken yet: the beginning of a frame, or frames that wait for room in the output.
  @safe @exclusivity(unchecked) var input = ByteQueue()
  /// Bytes that the kernel didn't take yet.
  @safe @exclusivity(unchecked) var output = ByteQueue()
  /// True from when the output is full until half of it is written; no request is taken meanwhile.
  @safe @exclusivity(unchecked) var isPaused = false
  /// What the event queue was last told.
  @safe @exclusivity(unchecked) var interest: Interest = .reading
  /// What the mailbox was last told.
  @safe @exclusivity(unchecked) var waitingBytesTold = 0

  /// The moment of the monotonic clock by which the peer must have completed its frame, or heard our farewell.
  @safe @exclusivity(unchecked) var inputDeadline = UInt64.max
  /// The moment of the monotonic clock by which the peer must have taken some of the output.
  @safe @exclusivity(unchecked) var outputDeadline = UInt64.max

  /// How far a connection has come.
  enum Phase {
    /// Requests are read and answered.
    case serving
    /// The peer sends no more; what is in flight is still answered.
    case finishing
    /// The last words are being written.
    case ending
    /// The last words are written; what the peer sent meanwhile is thrown away, so that it reads them before the end.
    case parting
    /// The connection is gone; only its memory is left to be freed.
    case broken
  }

  init(key: ConnectionKey, socket: consuming Socket, facts: ConnectionFacts) {
    self.key = key
    self.socket = socket
    self.facts = facts
  }

  /// The earlier of the two deadlines.
  var deadline: UInt64 { min(inputDeadline, outputDeadline) }

  /// What the event queue should watch for.
  var wantedInterest: Interest {
    let reads = phase == .parting || (phase == .serving && !isPaused)
    if output.isEmpty { return reads ? .reading : .nothing }
    return reads ? .readingAndWriting : .writing
  }
}

/// The ids of the streams of one connection that wait for their final frame, ascending as they were opened.
struct OpenStreams {
  private(set) var ids: [UInt32] = []

  var count: Int { ids.count }
  var isEmpty: Bool { ids.isEmpty }

  /// Adds ids that are ascending and greater than all before.
  mutating func append(contentsOf opened: [UInt32]) { ids.append(contentsOf: opened) }

  /// Returns true when the stream still waits for its final frame.
  func contains(_ id: UInt32) -> Bool { position(of: id) != nil }

  /// Ends a stream; returns false when it isn't open.
  ///
  /// Streams mostly end in the order in which they began, so what moves is at most the limit on requests in flight: 16 KiB.
  mutating func remove(_ id: UInt32) -> Bool {
    guard let position = position(of: id) else { return false }
    ids.remove(at: position)
    return true
  }

  private func position(of id: UInt32) -> Int? {
    if ids.first == id { return 0 }
    var low = 0
    var high = ids.count
    while low < high {
      let middle = (low + high) / 2
      if ids[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low < ids.count && ids[low] == id ? low : nil
  }
}
