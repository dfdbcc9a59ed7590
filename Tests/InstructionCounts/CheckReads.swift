import LatchkeyWire
import Protobuf
import TestSupport

/// What single reads of a connection bring: whole frames of checks, about customers of whom one in ten is unknown.
struct CheckReads {
  /// One read.
  struct Read {
    var bytes: [UInt8] = []
    /// As the server finds them in the bytes.
    var frames: [RequestFrame] = []
    /// Where the names of each check stand in the bytes.
    var names: [(customer: Range<Int>, entitlement: Range<Int>)] = []
  }

  let reads: [Read]
  let checksInRead: Int

  /// How many checks the reads hold together.
  private static let checkCount = 4_096

  /// The id of a customer, as long as a UUID.
  static func customer(_ number: Int) -> String {
    let digits = String(number)
    return "customer-" + String(repeating: "0", count: 27 - digits.count) + digits
  }

  /// - Parameters:
  ///   - count: how many checks are in a read.
  ///   - customers: how many customers are known.
  ///   - named: whether the method stands in words, as ttrpc's own clients have it, instead of by its number.
  init(ofChecks count: Int, customers: Int, named: Bool = false) throws {
    var random = SeededRandom(seed: 4)
    checksInRead = count
    reads = try (0..<CheckReads.checkCount / count).map { _ in
      var read = Read()
      for index in 0..<count {
        try read.append(CheckReads.check(ofCustomers: customers, &random), named: named, streamID: UInt32(2 * index + 1))
      }
      return read
    }
  }

  private static func check(ofCustomers count: Int, _ random: inout SeededRandom) -> CheckAccessRequest {
    let number = Int.random(in: 0..<count, using: &random)
    return CheckAccessRequest(customerID: customer(random.oneIn(10) ? number + count : number), entitlement: "pro")
  }

  /// Parses the checks of one read after the other, as the server does.
  func parse(times: Int) throws -> Int {
    var sum = 0
    for index in 0..<times / checksInRead { sum &+= try reads[index % reads.count].parse() }
    return sum
  }
}

extension CheckReads.Read {
  fileprivate mutating func append(_ check: CheckAccessRequest, named: Bool, streamID: UInt32) throws {
    var request = Request(.checkAccess, check)
    if named {
      (request.service, request.method, request.methodNumber) = (Method.checkAccess.service, Method.checkAccess.name, 0)
    }
    let start = bytes.count + FrameHeader.byteCount
    try Frame.append(request, streamID: streamID, to: &bytes)
    frames.append(RequestFrame(streamID: streamID, flags: [], offset: start, byteCount: bytes.count - start))
    let written = bytes
    let input = unsafe written.span.bytes
    let payload = try RequestEnvelope(parsing: input.extracting(start..<bytes.count)).payload
    let query = try CheckAccessQuery(parsing: input.extracting(start + payload.lowerBound..<start + payload.upperBound))
    let offset = start + payload.lowerBound
    names.append(
      (
        offset + query.customerID.lowerBound..<offset + query.customerID.upperBound,
        offset + query.entitlement.lowerBound..<offset + query.entitlement.upperBound
      ))
  }

  fileprivate func parse() throws(MalformedMessage) -> Int {
    let input = unsafe bytes.span.bytes
    var (sum, offset) = (0, 0)
    while case .complete(let header) = FrameHeader.parse(input, at: offset) {
      let data = input.extracting(offset + FrameHeader.byteCount..<offset + header.frameLength)
      let envelope = try RequestEnvelope(parsing: data)
      if envelope.calledMethod(in: data) == .checkAccess {
        sum &+= try CheckAccessQuery(parsing: data.extracting(envelope.payload)).customerID.upperBound
      }
      offset += header.frameLength
    }
    return sum
  }
}
