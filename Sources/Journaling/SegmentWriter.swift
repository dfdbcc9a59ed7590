import Platform

/// The end of a segment, to which frames are written and synced one at a time.
struct SegmentWriter: ~Copyable, Sendable {
  let header: SegmentHeader
  private let file: File
  /// The length up to which frames may be written.
  private let capacity: Int
  /// Where the next frame goes.
  private(set) var end: Int
  private(set) var chain: FrameChain
  /// True when there is no frame, or the last one proves that the one before it was complete.
  private(set) var isSealed: Bool

  /// Makes a segment of zeros with a header. After `.outOfSpace` there is none; after `.failed` there may be one.
  static func create(in directory: String, header: SegmentHeader, capacity: Int) throws(JournalError) -> SegmentWriter {
    let path = "\(directory)/\(FileNames.segment(first: header.firstRevision))"
    let bytes = header.encoded()
    let file = try writing { () throws(SystemError) in try preallocate(path, header: bytes, capacity: capacity) }
    // The segment is there now, and its header says where the one before it ends: that one must not go on without it.
    do throws(SystemError) { try Directory.synchronize(directory) } catch { throw .failed(error) }
    let chain = FrameChain(
      salt: header.salt, checksum: HeaderBlock.checksum(in: unsafe bytes.span.bytes), nextRevision: header.firstRevision)
    return SegmentWriter(header: header, file: file, capacity: capacity, end: bytes.count, chain: chain, isSealed: true)
  }

  private static func preallocate(_ path: String, header: [UInt8], capacity: Int) throws(SystemError) -> File {
    let unfinished = path + FileNames.unfinished
    do throws(SystemError) {
      var file = try File(unfinished, for: .create)
      try file.write(header.span, at: 0)
      try file.fillWithZeros(from: header.count, to: capacity)
      try file.synchronize()
      try file.rename(to: path)
      return file
    } catch {
      // The error that counts is the first; a file left over is removed at the next opening.
      try? Directory.remove(unfinished)
      throw error
    }
  }

  /// Goes on where a segment that was read ends.
  init(resuming segment: borrowing ReplayedSegment, file: consuming File, capacity: Int) {
    self.init(
      header: segment.header, file: file, capacity: capacity, end: segment.end, chain: segment.chain, isSealed: segment.isSealed)
  }

  private init(
    header: SegmentHeader, file: consuming File, capacity: Int, end: Int, chain: FrameChain, isSealed: Bool
  ) {
    self.header = header
    self.file = file
    self.capacity = capacity
    self.end = end
    self.chain = chain
    self.isSealed = isSealed
  }

  /// The length of a segment that takes a frame of this length and its seal, and is not shorter than `usual`.
  static func capacity(for frameBytes: Int, usual: Int) -> Int {
    max(usual, SegmentFormat.framesOffset + frameBytes + FrameFormat.sealBytes)
  }

  /// True when a frame of this length leaves room for a seal.
  func hasRoom(for frameBytes: Int) -> Bool { end + frameBytes + FrameFormat.sealBytes <= capacity }

  /// Writes and syncs a frame. After `.outOfSpace` the segment is as before; after `.failed` its end is unknown.
  mutating func append(
    _ type: FrameType, _ batch: FrameRecords, length: Int, buffer: inout [UInt8]
  ) throws(JournalError) {
    let next = FrameWriter.encode(type, batch, length: length, after: chain, into: &buffer)
    do throws(SystemError) {
      try file.write(buffer.span, at: end)
    } catch {
      throw cutBack(after: error)
    }
    do throws(SystemError) { try file.synchronizeData() } catch { throw .failed(error) }
    end += length
    chain = next
    isSealed = type != .batch
  }

  /// Takes away what a write without room may have left, since a later frame after it would look like damage.
  private func cutBack(after error: SystemError) -> JournalError {
    guard error.isOutOfSpace else { return .failed(error) }
    do throws(SystemError) {
      try file.truncate(to: end)
      try file.synchronize()
      return .outOfSpace(error)
    } catch let second {
      return .failed(second)
    }
  }
}
