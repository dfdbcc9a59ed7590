/// Bytes that come in at the end and leave at the front, in one piece of memory that grows as they come.
///
/// An empty queue that was released owns no memory.
@usableFromInline @safe package struct ByteQueue: ~Copyable, @unchecked Sendable {
  // Proof of safety: `start <= end <= capacity` always holds, `memory` is `capacity` bytes long and owned by this value
  // alone, the bytes from `start` to `end` were written, and every function below checks its counts before it touches memory.
  @usableFromInline var memory: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0
  @usableFromInline var start = 0
  @usableFromInline var end = 0

  @inlinable package init() { unsafe memory = nil }

  deinit { unsafe memory?.deallocate() }

  /// The number of bytes that wait.
  @inlinable package var count: Int { end - start }
  @inlinable package var isEmpty: Bool { start == end }
  /// The number of bytes of memory that the queue holds on to.
  @inlinable package var allocatedBytes: Int { capacity }

  /// Calls the body with the bytes that wait.
  @inlinable package func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result
  {
    guard let memory = unsafe memory else { return try body(RawSpan()) }
    return try body(unsafe RawSpan(_unsafeStart: memory + start, byteCount: count))
  }

  /// Adds bytes at the end.
  @inlinable package mutating func append(_ bytes: RawSpan) {
    let room = unsafe reserve(bytes.byteCount)
    unsafe bytes.withUnsafeBytes {
      if let base = $0.baseAddress { unsafe room.copyMemory(from: base, byteCount: $0.count) }
    }
    commit(bytes.byteCount)
  }

  /// Adds the bytes of an array at the end.
  package mutating func append(_ bytes: [UInt8]) { unsafe append(bytes.span.bytes) }

  /// Makes room for bytes at the end and returns where they go.
  ///
  /// The pointer is good for `byteCount` bytes until the next call on this queue; `commit` says how many were written.
  @inlinable @unsafe package mutating func reserve(_ byteCount: Int) -> UnsafeMutableRawPointer {
    precondition(byteCount >= 0, "a count below zero")
    if let memory = unsafe memory, capacity - end >= byteCount { return unsafe memory + end }
    return unsafe grow(by: byteCount)
  }

  /// Takes in the first bytes of the room that was reserved.
  @inlinable package mutating func commit(_ byteCount: Int) {
    precondition(byteCount >= 0 && byteCount <= capacity - end, "more bytes than were reserved")
    end += byteCount
  }

  /// Makes room for bytes at the end, has the body write there, and takes in what it wrote.
  @inlinable package mutating func write<Result, Failure: Error>(
    atMost byteCount: Int, _ body: (inout OutputRawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let room = unsafe UnsafeMutableRawBufferPointer(start: reserve(byteCount), count: byteCount)
    var span = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
    let result = try body(&span)
    commit(unsafe span.finalize(for: room))
    return result
  }

  /// Takes the first bytes away.
  @inlinable package mutating func removeFirst(_ byteCount: Int) {
    precondition(byteCount >= 0 && byteCount <= count, "more bytes than there are")
    start += byteCount
    if start == end { removeAll() }
  }

  /// Takes all bytes away and keeps the memory.
  @inlinable package mutating func removeAll() {
    start = 0
    end = 0
  }

  /// Gives the memory back when no byte waits in it and it is larger than wanted.
  @inlinable package mutating func release(ifOver byteCount: Int = 0) {
    guard isEmpty, capacity > byteCount else { return }
    unsafe memory?.deallocate()
    unsafe memory = nil
    capacity = 0
  }

  /// Reads from a socket to the end of the queue, at most so many bytes.
  package mutating func read(from socket: borrowing Socket, atMost byteCount: Int) -> Transfer {
    let room = unsafe UnsafeMutableRawBufferPointer(start: reserve(byteCount), count: byteCount)
    let transfer = unsafe socket.read(into: room)
    if case .moved(let count) = transfer { commit(count) }
    return transfer
  }

  /// Hands a socket as many bytes from the front as it takes, and takes these away.
  package mutating func write(to socket: borrowing Socket) -> Transfer {
    let transfer = withBytes { socket.write($0) }
    if case .moved(let count) = transfer { removeFirst(count) }
    return transfer
  }

  /// Moves the bytes to the front of memory that holds so many more; at least doubles, so that growing costs little in all.
  @usableFromInline mutating func grow(by byteCount: Int) -> UnsafeMutableRawPointer {
    let waiting = count
    if let memory = unsafe memory, waiting + byteCount <= capacity, waiting <= start {
      unsafe memory.copyMemory(from: memory + start, byteCount: waiting)
    } else {
      let grown = max(waiting + byteCount, capacity * 2, 64)
      let larger = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
      if let memory = unsafe memory {
        unsafe larger.copyMemory(from: memory + start, byteCount: waiting)
        unsafe memory.deallocate()
      }
      unsafe memory = larger
      capacity = grown
    }
    start = 0
    end = waiting
    guard let memory = unsafe memory else { preconditionFailure("memory was just made") }
    return unsafe memory + end
  }
}
