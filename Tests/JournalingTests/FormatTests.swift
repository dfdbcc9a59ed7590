import TestSupport
import Testing

@testable import Journaling

@Suite struct FormatTests {
  /// Bytes and their checksum, from RFC 3720, appendix B.4, and the catalogue of CRCs.
  private static let checksums: [([UInt8], UInt32)] = [
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    ([UInt8](0..<32), 0x46DD_794E),
    ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
    ([UInt8]("123456789".utf8), 0xE306_9283),
  ]

  @Test("CRC-32C agrees with the published examples", arguments: checksums)
  func checksum(bytes: [UInt8], expected: UInt32) {
    #expect(CRC32C.checksum(unsafe bytes.span.bytes) == expected)
    #expect(CRC32C.checksumByTables(unsafe bytes.span.bytes) == expected)
  }

  @Test("The processor's instruction and the tables give the same checksum of any bytes", arguments: 0...100)
  func checksumByInstruction(length: Int) {
    var random = SeededRandom(seed: UInt64(length))
    let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(CRC32C.checksum(unsafe bytes.span.bytes) == CRC32C.checksumByTables(unsafe bytes.span.bytes))
  }

  @Test("A frame has the bytes that docs/journal-format.md shows")
  func frame() throws {
    let chain = FrameChain(salt: 0x1122_3344_5566_7788, checksum: 0xAABB_CCDD, nextRevision: 5)
    let records = FrameRecords(records: [[0x61], []])
    let length = try FrameWriter.length(of: records)
    var bytes: [UInt8] = []
    let next = FrameWriter.encode(.batch, records, length: length, after: chain, into: &bytes)
    #expect(
      bytes.dropLast(4) == [
        48, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 2, 0, 0, 0,
        0xDD, 0xCC, 0xBB, 0xAA, 1, 0, 0, 0, 0x61, 0, 0, 0, 0, 0, 0, 0,
      ])
    #expect(next.nextRevision == 7)
    #expect(
      FrameReader.read(unsafe bytes.span.bytes, at: 0, after: chain)
        == .frame(
          Frame(type: .batch, firstRevision: 5, count: 2, range: 0..<48, chain: next)))
  }

  @Test("Records that go on with the same bytes have the frame of whole ones")
  func ending() throws {
    let chain = FrameChain(salt: 1, checksum: 2, nextRevision: 5)
    func frame(_ records: FrameRecords) throws -> [UInt8] {
      var bytes: [UInt8] = []
      _ = FrameWriter.encode(.batch, records, length: try FrameWriter.length(of: records), after: chain, into: &bytes)
      return bytes
    }
    let whole = FrameRecords(records: [[1, 2, 8, 9], [8, 9], [3, 8, 9]])
    #expect(try frame(FrameRecords(records: [[1, 2], [], [3]], ending: [8, 9])) == frame(whole))
  }

  @Test("A file's name tells its revision, and no other name does")
  func names() {
    for revision: UInt64 in [1, 42, .max] {
      #expect(FileNames.segmentRevision(FileNames.segment(first: revision)) == revision)
      #expect(FileNames.snapshotRevision(FileNames.snapshot(of: revision)) == revision)
    }
    #expect(FileNames.segment(first: 42) == "journal-00000000000000000042.lk")
    for name in ["journal-42.lk", "journal-00000000000000000042.lk.tmp", "journal-99999999999999999999.lk", "lock", ""] {
      #expect(FileNames.segmentRevision(name) == nil)
    }
  }
}
