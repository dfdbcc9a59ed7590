import LatchkeyWire
import Platform

/// A client that speaks frames and knows nothing else; what it waits for fails after ten seconds instead of hanging.
final class Client {
  private let socket: Socket
  private var queue: EventQueue
  private var bytes: [UInt8] = []

  struct TimedOut: Error {}

  init(_ endpoint: Endpoint, kernelBytes: Int32? = nil) throws {
    socket = try Socket.connect(to: endpoint)
    if let kernelBytes { socket.setKernelBuffers(bytes: kernelBytes) }
    queue = try EventQueue()
    try queue.add(socket.descriptor, for: [], token: 0)
  }

  /// One received frame.
  struct Received: Equatable {
    var streamID: UInt32
    var type: FrameType
    var data: [UInt8]
  }

  func send(_ sent: [UInt8]) throws {
    var rest = sent[...]
    while !rest.isEmpty {
      switch unsafe socket.write(rest.span.bytes) {
      case .moved(let count): rest = rest.dropFirst(count)
      case .wouldBlock: try wait(for: .writing)
      case .ended, .broken: return
      }
    }
  }

  /// Waits for the next frame; nil when the server has closed the connection.
  func receive() throws -> Received? {
    while true {
      if let frame = nextFrame() { return frame }
      var memory = [UInt8](repeating: 0, count: 64 << 10)
      switch unsafe memory.withUnsafeMutableBytes({ unsafe socket.read(into: $0) }) {
      case .moved(let count): bytes.append(contentsOf: memory[..<count])
      case .wouldBlock: try wait(for: .reading)
      case .ended, .broken: return nil
      }
    }
  }

  func receive(_ count: Int) throws -> [Received] {
    try (0..<count).compactMap { _ in try receive() }
  }

  func endWriting() { socket.endWriting() }

  /// Waits without reading until the connection is reset.
  func waitForReset() throws { try wait(for: []) }

  private func wait(for interest: Interest) throws {
    try queue.change(socket.descriptor, to: interest, token: 0)
    if queue.wait(milliseconds: 10_000) == 0 { throw TimedOut() }
  }

  private func nextFrame() -> Received? {
    guard case .complete(let header) = unsafe FrameHeader.parse(bytes.span.bytes) else { return nil }
    let data = Array(bytes[FrameHeader.byteCount..<header.frameLength])
    bytes.removeFirst(header.frameLength)
    return Received(streamID: header.streamID, type: header.type, data: data)
  }
}

/// Makes the bytes of a frame, allowed or not.
func frame(_ streamID: UInt32, type: UInt8 = 1, _ text: String = "", length: Int? = nil, flags: UInt8 = 0) -> [UInt8] {
  let length = UInt32(length ?? text.utf8.count)
  var bytes: [UInt8] = []
  for number in [length, streamID] {
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
  return bytes + [type, flags] + Array(text.utf8)
}

extension Client.Received {
  init(_ streamID: UInt32, _ text: String, type: FrameType = .response) {
    self.init(streamID: streamID, type: type, data: Array(text.utf8))
  }

  /// The code of the status in a response.
  var status: StatusCode? {
    (try? Response(decoding: data))?.status?.code
  }
}
