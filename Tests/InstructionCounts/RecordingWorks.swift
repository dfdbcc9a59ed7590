import Entitlements
import LatchkeyWire
import Platform
import Protobuf
import Service
import Storage

/// Whole recordings, from the bytes of a read to those of the answers, without the sockets: journaled, applied, folded, published.
enum RecordingWorks {
  /// Each customer buys access for ever, and then coins, which is what is counted: each recording does the same.
  private static let customerCount = 2 * Work.recordTransaction.times
  /// As many as a busy connection has in flight; all are answered before the next ones come.
  private static let callsInRead = 64
  private static let bought = Moment(milliseconds: CheckWorks.now - 86_400_000)

  /// Records consumables of known customers.
  static func record(times: Int) throws -> Int {
    let reads = try reads()
    let directory = try TemporaryDirectory()
    let store = try EntitlementStore.open(directory.path + "/data", settings: Settings()) { _ in }
    let service = EntitlementService(store: store, version: "counted")
    var loop = ServiceLoop(service)
    var turn = CountedTurn(lateAnswersAtOnce: callsInRead)
    var sum = 0
    for read in reads[..<((customerCount + times) / callsInRead)] {
      unsafe service.answer(read.frames.span, in: read.bytes.span.bytes, turn: &turn, loop: &loop)
      sum &+= turn.awaitLateAnswers()
    }
    return sum
  }

  /// As many reads as are ever needed.
  private static func reads() throws -> [CheckReads.Read] {
    try (0..<2 * customerCount / callsInRead).map { number in
      var read = CheckReads.Read()
      for index in 0..<callsInRead {
        let start = read.bytes.count + FrameHeader.byteCount
        let streamID = UInt32(2 * index + 1)
        let request = Request(.recordTransaction, purchase(number * callsInRead + index))
        try Frame.append(request, streamID: streamID, to: &read.bytes)
        read.frames.append(
          RequestFrame(streamID: streamID, flags: [], offset: start, byteCount: read.bytes.count - start))
      }
      return read
    }
  }

  /// A UUID, which is what backends mostly have.
  private static func customer(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "3f6b1c1e-7d2a-4c5b-9e8f-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private static func purchase(_ number: Int) -> RecordTransactionRequest {
    .with {
      $0.customerID = customer(number % customerCount)
      $0.transaction = .with {
        $0.transactionID = String(500_000_000_000_000_000 + number)
        $0.productID = number < customerCount ? "lifetime" : "coins.small"
        $0.type = number < customerCount ? .nonConsumable : .consumable
        $0.purchaseDateMilliseconds = bought.milliseconds
        $0.signedDateMilliseconds = bought.milliseconds
        ($0.priceMilliunits, $0.currency) = (990, "USD")
      }
    }
  }
}
