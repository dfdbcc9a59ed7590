import Entitlements
import LatchkeyWire
import Platform
import Service
import Storage

/// Whole checks, from the bytes of a read to those of the answers, without the sockets, and rebuilds of the store they ask.
enum ServiceWorks {
  /// Few, since each is recorded first; how many there are changes a lookup's misses and not its instructions.
  private static let customerCount = 500

  /// Answers checks that come so many in a read.
  static func answer(times: Int, checksInRead: Int) throws -> Int {
    try answer(CheckReads(ofChecks: checksInRead, customers: customerCount).reads, times: times / checksInRead)
  }

  /// Answers checks that come 64 in a batch, a batch in a read.
  static func answerBatches(times: Int) throws -> Int {
    let batches = try CheckReads(ofChecks: CheckWorks.checksInRead, customers: customerCount).reads.map {
      try CheckReads.Read(batchOf: $0)
    }
    return try answer(batches, times: times / CheckWorks.checksInRead)
  }

  /// Folds everyone of a store anew and compares, until so many customers were folded.
  static func rebuild(filledStore: (String) throws -> EntitlementStore, times: Int) throws -> Int {
    let directory = try TemporaryDirectory()
    let store = try filledStore(directory.path + "/data")
    // By this clock about as much is done in a turn as by a real one, whatever else the machine does.
    var time: UInt64 = 0
    let turns = Turns(now: {
      time += 1_000
      return time
    })
    var sum = 0
    for _ in 0..<times / customerCount {
      try store.rebuild(.everyone, isDryRun: false, turns: turns) { step in
        sum &+= step.customers
        return true
      }
    }
    return sum
  }

  private static func answer(_ reads: [CheckReads.Read], times: Int) throws -> Int {
    let directory = try TemporaryDirectory()
    let store = try filledStore(directory.path + "/data")
    let service = EntitlementService(store: store, version: "counted")
    var loop = ServiceLoop(service)
    var turn = CountedTurn()
    var sum = 0
    for index in 0..<times {
      let read = reads[index % reads.count]
      unsafe service.answer(read.frames.span, in: read.bytes.span.bytes, turn: &turn, loop: &loop)
      sum &+= turn.takeOutput()
    }
    return sum
  }

  /// A store in which everyone bought `pro`.
  static func filledStore(_ path: String) throws -> EntitlementStore {
    let start = Moment(milliseconds: CheckWorks.now - 86_400_000)
    let recordings = (0..<customerCount).map { number in
      let bought = Transaction(
        transactionID: Identifier("\(number)"), productID: "pro", type: .nonConsumable, purchaseDate: start, signedDate: start)
      return Recording(
        customer: CustomerID(CheckReads.customer(number)), rows: [.init(transaction: bought)], receivedAt: start)
    }
    return try store(path, of: recordings)
  }

  /// A store in which everyone is in the third month of a subscription.
  static func subscribedStore(_ path: String) throws -> EntitlementStore {
    try store(path, of: (0..<customerCount).flatMap { TypicalHistory.thirdMonth.recordings(of: $0) })
  }

  private static func store(_ path: String, of recordings: [Recording]) throws -> EntitlementStore {
    let store = try EntitlementStore.open(path, settings: Settings(), catalog: TypicalHistory.catalog) { _ in }
    let waiting = AwaitedValue(recordings.count)
    for recording in recordings {
      store.submit(.recording(recording), evaluateAt: recording.receivedAt) { _ in waiting.update { $0 -= 1 } }
    }
    waiting.wait { $0 == 0 ? () : nil }
    return store
  }
}

extension CheckReads.Read {
  /// Makes one batch of the checks of another read.
  fileprivate init(batchOf single: CheckReads.Read) throws {
    let checks = single.names.map { names in
      CheckAccessRequest(
        customerID: String(decoding: single.bytes[names.customer], as: UTF8.self),
        entitlement: String(decoding: single.bytes[names.entitlement], as: UTF8.self))
    }
    let request = Request(.checkAccessBatch, CheckAccessBatchRequest.with { $0.checks = checks })
    try Frame.append(request, streamID: 1, to: &bytes)
    let count = bytes.count - FrameHeader.byteCount
    frames = [RequestFrame(streamID: 1, flags: [], offset: FrameHeader.byteCount, byteCount: count)]
  }
}
