import Glibc
import Platform

@testable import Journaling

/// What a recovery handed out, with short records and blocks shown as text.
struct Recovered: Equatable {
  var snapshot: [String] = []
  var digest: UInt64?
  var records: [String] = []
  var revisions: [UInt64] = []
  var warnings: [RecoveryWarning] = []
}

/// Small segments, so that a test fills several.
let smallSegments = JournalOptions(segmentBytes: 1024)

/// Opens a store and collects all that it holds.
func open(_ path: String, options: JournalOptions = smallSegments) throws(JournalError) -> (Journal, Recovered) {
  var recovered = Recovered()
  let journal = try JournalDirectory.open(path, options: options).recover(
    snapshot: { reader in
      while let block = try reader.next() { recovered.snapshot.append(String(decoding: block, as: UTF8.self)) }
    },
    record: { revision, bytes in
      recovered.revisions.append(revision)
      recovered.records.append(text(bytes))
    })
  recovered.digest = journal.recovery.snapshotDigest
  recovered.warnings = journal.recovery.warnings
  return (journal, recovered)
}

/// Opens a store only to read and close it.
func contents(of path: String) throws(JournalError) -> Recovered { try open(path).1 }

func text(_ bytes: RawSpan) -> String {
  String(decoding: (0..<bytes.byteCount).map { bytes.integer(at: $0, as: UInt8.self) }, as: UTF8.self)
}

func record(_ text: String) -> [UInt8] { Array(text.utf8) }

/// All files of a store by name, to be changed and put back.
func files(in path: String) throws -> [String: [UInt8]] {
  var files: [String: [UInt8]] = [:]
  for name in try Directory.names(in: path) { files[name] = try WholeFile.read("\(path)/\(name)", limit: .max) }
  return files
}

/// Makes the store's directory hold these files and nothing else.
func lay(_ files: [String: [UInt8]], in path: String) throws {
  TemporaryDirectory.remove(path)
  try Directory.create(path)
  for (name, bytes) in files { try write(bytes, to: "\(path)/\(name)") }
}

func write(_ bytes: [UInt8], to path: String) throws {
  let file = try File(path, for: .create)
  try file.write(bytes.span, at: 0)
}

/// The description of the error that opening throws, or nil when it opens.
func refusal(_ path: String) -> JournalError? {
  do throws(JournalError) {
    _ = try contents(of: path)
    return nil
  } catch { return error }
}

/// The permission bits of a file or directory.
func mode(_ path: String) throws -> UInt32 {
  var status = stat()
  try systemCall("stat \(path)") { unsafe lstat(path, &status) }
  return status.st_mode & 0o777
}

/// Where the frames of a segment end, after the end of its header.
func endsOfFrames(_ bytes: [UInt8]) throws -> [Int] {
  let segment = unsafe bytes.span.bytes
  let store = try HeaderBlock.decode(segment, kind: .segment, store: nil, file: "").store
  let header = try SegmentHeader.decode(segment, store: store, file: "")
  var chain = FrameChain(salt: header.salt, checksum: HeaderBlock.checksum(in: segment), nextRevision: header.firstRevision)
  var ends = [SegmentFormat.framesOffset]
  while case .frame(let frame) = FrameReader.read(segment, at: ends[ends.count - 1], after: chain) {
    ends.append(frame.range.upperBound)
    chain = frame.chain
  }
  return ends
}

extension Journal {
  /// Writes a snapshot whose digest is known before.
  @discardableResult
  func writeSnapshot(
    revision: UInt64, digest: UInt64, _ body: (inout SnapshotWriter) throws -> Void
  ) throws(JournalError) -> UInt64 {
    try writeSnapshot(revision: revision) { writer in
      try body(&writer)
      return digest
    }
  }
}
