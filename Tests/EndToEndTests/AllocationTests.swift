import Foundation
import LatchkeyWire
import Protobuf
import TestSupport
import Testing

/// The release build of `latchkey`, with the library of `Tests/Allocations` that counts for each thread.
private enum CountedServer {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let program = root.appending(path: ".build/release/latchkey")

  static var isPossible: Bool {
    FileManager.default.isExecutableFile(atPath: program.path)
      && (try? Program.run("/usr/bin/env", ["clang", "--version"]).status) == 0
  }

  /// What one thread has done so far.
  struct Counts {
    var allocations: UInt64
    var retains: UInt64
    var releases: UInt64
  }

  /// How many bytes the file of counts has: a slot of eight words for each of 512 threads.
  private static let fileByteCount = 512 * 64

  /// Starts a server that counts into a file.
  static func start(in scratch: Scratch) throws -> ServedDirectory {
    let library = scratch.path("counting.so")
    let source = root.appending(path: "Tests/Allocations/counting.c").path
    let built = try Program.run("/usr/bin/env", ["clang", "-shared", "-fPIC", "-O2", "-o", library, source])
    try #require(built.status == 0, "\(built.errors)")
    try Data(count: fileByteCount).write(to: scratch.url.appending(path: "counts"))
    return try ServedDirectory(
      scratch.path("data"), program: program.path,
      environment: ["LD_PRELOAD": library, "LATCHKEY_COUNTS": scratch.path("counts")])
  }

  /// The counts of a server's one event loop.
  static func countsOfLoop(of server: ServedDirectory, in scratch: Scratch) throws -> Counts {
    let threads = "/proc/\(server.processID)/task"
    let loop = try #require(
      FileManager.default.contentsOfDirectory(atPath: threads).first {
        (try? String(contentsOfFile: "\(threads)/\($0)/comm", encoding: .utf8)) == "loop 0\n"
      })
    let bytes = try Data(contentsOf: scratch.url.appending(path: "counts"))
    let words = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt64.self)) }
    let slot = try #require(stride(from: 0, to: words.count, by: 8).first { words[$0] == UInt64(loop) })
    return Counts(allocations: words[slot + 1], retains: words[slot + 2], releases: words[slot + 3])
  }
}

/// What one read of the server brings.
private enum Shape: String, CaseIterable, CustomTestStringConvertible {
  case lone = "one check"
  case many = "64 checks"
  case unknownCustomers = "64 checks of customers who aren't known"
  case unknownEntitlement = "64 checks of an entitlement that no product grants"
  case named = "64 checks whose method stands in words"
  case batch = "a batch of 64 checks"
  case batches = "four batches of 64 checks"

  var testDescription: String { rawValue }

  private var check: CheckAccessRequest {
    switch self {
    case .unknownCustomers: CheckAccessRequest(customerID: "a customer of another app", entitlement: "lifetime")
    case .unknownEntitlement: CheckAccessRequest(customerID: "ana", entitlement: "an entitlement that no product grants")
    default: CheckAccessRequest(customerID: "ana", entitlement: "lifetime")
    }
  }

  /// The requests of one read.
  var requests: [Request] {
    let batch = CheckAccessBatchRequest.with { $0.checks = Array(repeating: check, count: 64) }
    switch self {
    case .lone: return [Request(.checkAccess, check)]
    case .batch: return [Request(.checkAccessBatch, batch)]
    case .batches: return Array(repeating: Request(.checkAccessBatch, batch), count: 4)
    case .named:
      let request = Request.with {
        $0.service = Method.checkAccess.service
        $0.method = Method.checkAccess.name
        $0.payload = check.encoded()
      }
      return Array(repeating: request, count: 64)
    case .many, .unknownCustomers, .unknownEntitlement: return Array(repeating: Request(.checkAccess, check), count: 64)
    }
  }
}

/// A connection on which nothing but these requests is asked, again and again.
private final class Caller {
  private let connection: FileHandle
  private let requests: [Request]
  private var nextStreamID: UInt32 = 1
  /// How many bytes the answers of one round take; the same each time.
  private var answerByteCount: Int?

  init(_ server: ServedDirectory, _ requests: [Request]) throws {
    self.requests = requests
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    connection = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(try #require(server.address.split(separator: ":").last.flatMap { UInt16($0) })).bigEndian
    address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, length) }
    }
    try #require(status == 0)
  }

  /// Sends all requests in one write, and waits for their answers; several times.
  func ask(times: Int) throws {
    for _ in 0..<times {
      var bytes: [UInt8] = []
      for request in requests {
        try Frame.append(request, streamID: nextStreamID, to: &bytes)
        nextStreamID += 2
      }
      try connection.write(contentsOf: Data(bytes))
      if let answerByteCount { _ = try read(answerByteCount) } else { answerByteCount = try readAnswers() }
    }
  }

  /// Reads an answer for each request, and gives how many bytes they took.
  private func readAnswers() throws -> Int {
    try requests.reduce(0) { sum, _ in
      let header = try Array(read(FrameHeader.byteCount))
      guard case .needMore(let byteCount) = unsafe FrameHeader.parse(header.span.bytes) else { return sum + header.count }
      let response = try Response(decoding: Array(read(byteCount - FrameHeader.byteCount)))
      #expect(response.status == nil)
      return sum + byteCount
    }
  }

  private func read(_ count: Int) throws -> Data {
    var bytes = Data()
    while bytes.count < count {
      let some = try #require(try connection.read(upToCount: count - bytes.count))
      try #require(!some.isEmpty, "the server has closed the connection")
      bytes += some
    }
    return bytes
  }
}

@Suite(.enabled(if: CountedServer.isPossible, "needs clang, and the release build that `make build` makes"))
struct AllocationTests {
  private static let reads = 500

  @Test("A server that is warm answers without an allocation, and its reference counting doesn't grow with the checks of a read")
  func nothingIsAllocated() throws {
    let scratch = try Scratch()
    let server = try CountedServer.start(in: scratch)
    #expect(try server.run(["record", "--customer", "ana", "-"], input: transaction("1")).status == 0)
    for shape in Shape.allCases {
      let caller = try Caller(server, shape.requests)
      try caller.ask(times: 100)
      let before = try CountedServer.countsOfLoop(of: server, in: scratch)
      try caller.ask(times: AllocationTests.reads)
      let after = try CountedServer.countsOfLoop(of: server, in: scratch)
      #expect(after.allocations == before.allocations, "\(shape.rawValue)")
      // The names of methods are strings that are compared; all others are asked by number.
      if shape == .named { continue }
      // What a read costs whatever is in it, and what a batch does: far from the 64 checks of either.
      let most = UInt64(AllocationTests.reads * 16)
      #expect(after.retains - before.retains <= most, "\(shape.rawValue)")
      #expect(after.releases - before.releases <= most, "\(shape.rawValue)")
    }
  }
}
