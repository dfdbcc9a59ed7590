import Platform

/// Why a load can't go on.
package enum LoadTrouble: Error, Equatable, CustomStringConvertible {
  case system(SystemError)
  case conversation(BrokenConversation)
  /// The server closed a connection.
  case connectionEnded(callsInFlight: Int)
  /// A connection was reset.
  case connectionBroken(callsInFlight: Int)
  /// An answer didn't come in the time that it may take.
  case noAnswer(callsInFlight: Int, milliseconds: UInt64)
  case idsUsedUp
  /// Connections weren't made in ten seconds more than an answer may take.
  case notConnected

  package var description: String {
    switch self {
    case .system(let error): "\(error)"
    case .conversation(let error): "\(error)"
    case .connectionEnded(let calls): "the server ended a connection that had calls in flight: \(calls)"
    case .connectionBroken(let calls): "a connection that had calls in flight was reset: \(calls)"
    case .noAnswer(let calls, let milliseconds):
      "no answer came within \(milliseconds) ms on a connection with calls in flight: \(calls)"
    case .idsUsedUp: "a connection has made 2147483648 calls, as many as it can; use more --connections"
    case .notConnected: "not all connections could be made in time"
    }
  }
}

/// One connection of a load: calls out, answers in. It belongs to one thread.
final class LoadConnection<Language: Dialect> {
  private let socket: Socket
  private let dialect: Language
  private var outgoing = ByteQueue()
  private var incoming = ByteQueue()
  private(set) var calls = CallsInFlight()
  private var waitsToWrite = false

  /// The most bytes that are read at once.
  private static var readBytes: Int { 256 << 10 }

  /// Connects, which may take as long as the kernel lets it.
  init(to endpoint: Endpoint, speaking dialect: Language) throws(SystemError) {
    self.dialect = dialect
    socket = try Socket.connect(to: endpoint)
  }

  /// Has a queue tell, under a token, when answers come.
  func watch(by queue: borrowing EventQueue, token: UInt64) throws(SystemError) {
    try queue.add(socket.descriptor, for: .reading, token: token)
  }

  /// Makes the next call of a source, which `flush` hands to the kernel; gives false where there is none.
  func makeCall(of source: inout some CallSource, due: UInt64, now: UInt64) throws(LoadTrouble) -> Bool {
    guard let id = calls.nextID else { throw .idsUsedUp }
    guard let kind = source.next(id: id, to: &outgoing) else { return false }
    calls.add(CallsInFlight.Call(kind: kind, due: due, sent: now))
    return true
  }

  /// Hands the kernel what it takes, and has the queue tell when it takes the rest.
  func flush(_ queue: borrowing EventQueue, token: UInt64) throws(LoadTrouble) {
    while !outgoing.isEmpty {
      switch outgoing.write(to: socket) {
      case .moved: continue
      case .wouldBlock: return try wait(toWrite: true, queue, token)
      case .ended, .broken: throw .connectionBroken(callsInFlight: calls.count)
      }
    }
    if waitsToWrite { try wait(toWrite: false, queue, token) }
  }

  private func wait(toWrite: Bool, _ queue: borrowing EventQueue, _ token: UInt64) throws(LoadTrouble) {
    guard toWrite != waitsToWrite else { return }
    waitsToWrite = toWrite
    do { try queue.change(socket.descriptor, to: toWrite ? .readingAndWriting : .reading, token: token) } catch {
      throw .system(error)
    }
  }

  /// Reads once what has come.
  func read() throws(LoadTrouble) {
    switch incoming.read(from: socket, atMost: Self.readBytes) {
    case .moved, .wouldBlock: return
    case .ended: throw .connectionEnded(callsInFlight: calls.count)
    case .broken: throw .connectionBroken(callsInFlight: calls.count)
    }
  }

  /// Counts the answers that were read and are whole, and gives how many there were.
  func takeAnswers(at now: UInt64, into record: inout ThreadRecord) throws(LoadTrouble) -> Int {
    var (offset, count) = (0, 0)
    do throws(BrokenConversation) {
      try incoming.withBytes { (bytes) throws(BrokenConversation) in
        while let answer = try dialect.answer(in: bytes, at: offset) {
          guard let call = calls.remove(answer.call) else { throw BrokenConversation("the server sent an answer to no call") }
          try take(answer, to: call, in: bytes, at: now, into: &record)
          offset = answer.end
          count += 1
        }
      }
    } catch { throw .conversation(error) }
    incoming.removeFirst(offset)
    return count
  }

  private func take(
    _ answer: Answer, to call: CallsInFlight.Call, in bytes: RawSpan, at now: UInt64, into record: inout ThreadRecord
  ) throws(BrokenConversation) {
    if answer.isFailure {
      record.note(call, failedWith: try dialect.failure(of: answer, in: bytes), at: now)
    } else if record.note(call, answeredAt: now) {
      try dialect.count(answer, to: call.kind, in: bytes, into: &record.verdicts)
    }
  }
}
