import LatchkeyWire
import Platform
import Service
import TestSupport

/// The line to a client: takes the frames that a service sends on it, from any thread.
final class Line: Sendable {
  /// One frame that came.
  struct Received: Sendable {
    let header: FrameHeader
    let data: [UInt8]

    /// Whether it ends its stream.
    var isFinal: Bool { header.type == .response || header.flags.contains(.remoteClosed) }
  }

  private struct State {
    var frames: [Received] = []
    var framesOfStream: [UInt32: [Received]] = [:]
    var cancelled: Set<UInt32> = []
    /// Streams of which the client reads nothing.
    var held: Set<UInt32> = []
    /// How many frames that aren't final are taken before the line is full; nil: any number.
    var room: Int?

    mutating func add(_ news: [Received]) {
      frames += news
      for frame in news { framesOfStream[frame.header.streamID, default: []].append(frame) }
    }
  }

  private let state = AwaitedValue(State())

  /// Takes the client's word that it no longer wants a stream.
  func cancel(_ streamID: UInt32) { state.update { _ = $0.cancelled.insert(streamID) } }

  func isCancelled(_ streamID: UInt32) -> Bool { state.update { $0.cancelled.contains(streamID) } }

  /// Says how many more frames that aren't final the client reads.
  func setRoom(_ count: Int?) { state.update { $0.room = count } }

  /// Says whether the client reads what comes on one stream.
  func hold(_ streamID: UInt32, _ isHeld: Bool) {
    state.update { state in
      if isHeld { state.held.insert(streamID) } else { state.held.remove(streamID) }
    }
  }

  /// Takes bytes of whole frames.
  func take(_ bytes: [UInt8]) {
    let frames = Line.frames(in: bytes)
    state.update { $0.add(frames) }
  }

  /// Takes a frame that isn't final, if there is room.
  func offer(_ bytes: [UInt8]) -> Bool {
    let frames = Line.frames(in: bytes)
    return state.update { state in
      if state.room == 0 || frames.contains(where: { state.held.contains($0.header.streamID) }) { return false }
      state.room = state.room.map { $0 - 1 }
      state.add(frames)
      return true
    }
  }

  /// Waits for the final frame of a stream and gives all of the stream's; nil where none comes.
  func wait(for streamID: UInt32) -> [Received]? {
    state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + Patience.nanoseconds) { state in
      let frames = state.framesOfStream[streamID] ?? []
      return frames.contains(where: \.isFinal) ? frames : nil
    }
  }

  /// Waits until a stream has this many frames.
  func wait(for streamID: UInt32, frames count: Int) -> Bool {
    state.wait(untilNanoseconds: Clock.monotonicNanoseconds() + Patience.nanoseconds) { state in
      state.framesOfStream[streamID]?.count ?? 0 >= count ? true : nil
    } ?? false
  }

  /// The frames of a stream so far.
  func frames(of streamID: UInt32) -> [Received] { state.update { $0.framesOfStream[streamID] ?? [] } }

  /// The streams that have a final frame, in the order in which those came.
  var endedStreams: [UInt32] { state.update { $0.frames.filter(\.isFinal).map(\.header.streamID) } }

  private static func frames(in bytes: [UInt8]) -> [Received] {
    var frames: [Received] = []
    var offset = 0
    while offset < bytes.count {
      let span = bytes.span
      guard case .complete(let header) = FrameHeader.parse(unsafe span.bytes, at: offset) else {
        preconditionFailure("the service writes whole frames")
      }
      let data = bytes[(offset + FrameHeader.byteCount)..<(offset + header.frameLength)]
      frames.append(Received(header: header, data: Array(data)))
      offset += header.frameLength
    }
    return frames
  }
}

/// The way back of one request on a line.
struct LineReply: LateReply {
  let line: Line
  let streamID: UInt32

  var isCancelled: Bool { line.isCancelled(streamID) }
  func send(_ frame: [UInt8]) -> Bool { !isCancelled && line.offer(frame) }
  func finish(_ frame: [UInt8]) { line.take(frame) }
}

/// One read of a line.
struct LineTurn: CallTurn, ~Copyable {
  let line: Line
  let nowMilliseconds: Int64
  /// How many bytes of answers one turn takes before it is full.
  var outputLimit = Int.max
  var usesControlFrames = false
  /// The first request that was left for later.
  private(set) var firstLeft: Int?
  private var output = ByteQueue()

  init(line: Line, nowMilliseconds: Int64) {
    self.line = line
    self.nowMilliseconds = nowMilliseconds
  }

  var isOutputFull: Bool { output.count >= outputLimit }

  mutating func withOutput<Result>(_ body: (inout ByteQueue) -> Result) -> Result { body(&output) }
  mutating func reply(for streamID: UInt32) -> any LateReply { LineReply(line: line, streamID: streamID) }
  mutating func leave(from index: Int) { firstLeft = index }

  /// Sends what was written.
  func flush() {
    line.take(output.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) } })
  }
}
