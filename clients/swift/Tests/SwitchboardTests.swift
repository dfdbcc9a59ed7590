import LatchkeyWire
import Testing

@testable import LatchkeyClient

@Suite("The switchboard")
struct SwitchboardTests {
  let start = ContinuousClock.now
  var board = Switchboard(Options())

  init() {
    submit(1, .recordTransaction)
    connect()
  }

  @Test("A recording of which no byte was written is sent on the next connection")
  mutating func unsentRecording() {
    board.lost(1, "lost", bytesWritten: 0, at: start)
    #expect(board.takeDeliveries().isEmpty)
    connect()
    #expect(board.takeOrders(blocked: [], at: start).outputs.count == 1)
  }

  @Test("A recording of which a byte was written has an unknown outcome")
  mutating func sentRecording() throws {
    let bytes = try #require(board.takeOrders(blocked: [], at: start).outputs.first?.bytes)
    board.lost(1, "lost", bytesWritten: bytes.count, at: start)
    let error = failure(of: 1)
    #expect(error?.code == .unknown && error?.outcomeIsUnknown == true)
  }

  @Test("A deadline that passes frees nothing but its own call", arguments: [9_999, 10_000])
  mutating func deadline(milliseconds: Int) {
    submit(2, .checkAccess, deadline: start + .seconds(10))
    #expect(board.nextMoment == start + .seconds(10))
    _ = board.takeOrders(blocked: [], at: start + .milliseconds(milliseconds))
    #expect(failure(of: 2)?.code == (milliseconds < 10_000 ? nil : .deadlineExceeded))
    #expect(board.nextMoment == (milliseconds < 10_000 ? start + .seconds(10) : nil))
  }

  @Test("A connection that takes too long to make is given up, and another is tried after a wait")
  mutating func connectTimeout() {
    board.lost(1, "lost", bytesWritten: 0, at: start)
    let later = start + .seconds(10)
    #expect(board.takeOrders(blocked: [], at: later).connect == 2)
    #expect(board.nextMoment == later + .seconds(5))
    #expect(board.takeOrders(blocked: [], at: later + .seconds(5)).hangUps == [2])
    #expect(board.takeOrders(blocked: [], at: later + .seconds(10)).connect == 3)
  }

  @Test("Calls over the limit on those that wait are refused")
  mutating func waitingLimit() {
    var options = Options()
    options.waitingCalls = 2
    board = Switchboard(options)
    for id in 1...3 { submit(CallID(id), .checkAccess) }
    let deliveries = board.takeDeliveries()
    #expect(deliveries.map(\.0) == [3])
  }

  /// Lets the wait pass and the connection stand.
  private mutating func connect() {
    let orders = board.takeOrders(blocked: [], at: start + .seconds(60))
    if let connection = orders.connect { board.connected(connection, at: start) }
  }

  private mutating func submit(_ id: CallID, _ method: Method, deadline: ContinuousClock.Instant? = nil) {
    let question = Question(method, CheckAccessRequest())
    board.submit(id, Call(question: question, deadline: deadline, receiver: .many(MessageStream.make().stream)), at: start)
  }

  /// The failure of one call among what there is to tell; nil if there is none.
  private mutating func failure(of id: CallID) -> LatchkeyError? {
    for (call, delivery) in board.takeDeliveries() where call == id {
      if case .end(.failure(let error)) = delivery.content { return error }
    }
    return nil
  }
}
