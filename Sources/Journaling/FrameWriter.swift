/// The records of a frame, each of which goes on with the same bytes.
struct FrameRecords {
  var records: [[UInt8]] = []
  var ending: [UInt8] = []
}

/// Turns batches, seals and digests into frames.
enum FrameWriter {
  /// The length of the frame of a batch; throws when the batch or a record of it is over its limit.
  static func length(of batch: FrameRecords) throws(JournalError) -> Int {
    var total = 0
    for record in batch.records {
      let count = record.count + batch.ending.count
      guard count <= JournalLimits.recordBytes else {
        throw .tooLarge(what: "a record", bytes: count, limit: JournalLimits.recordBytes)
      }
      total += FrameFormat.recordLengthBytes + count
    }
    let length = FrameFormat.length(recordBytes: total)
    guard length <= JournalLimits.frameBytes else {
      throw .tooLarge(what: "a batch", bytes: length, limit: JournalLimits.frameBytes)
    }
    return length
  }

  /// Puts a frame into the buffer in place of what was there, and returns the chain after it.
  static func encode(
    _ type: FrameType, _ batch: FrameRecords, length: Int, after chain: FrameChain, into buffer: inout [UInt8]
  ) -> FrameChain {
    buffer.removeAll(keepingCapacity: true)
    buffer.append(integer: UInt32(length))
    buffer.append(integer: UInt32(type.rawValue))
    buffer.append(integer: chain.nextRevision)
    buffer.append(integer: chain.salt)
    buffer.append(integer: UInt32(batch.records.count))
    buffer.append(integer: chain.checksum)
    for record in batch.records {
      buffer.append(integer: UInt32(record.count + batch.ending.count))
      buffer.append(contentsOf: record)
      buffer.append(contentsOf: batch.ending)
    }
    buffer.pad(to: length - FrameFormat.checksumBytes)
    let checksum = buffer.appendChecksum()
    let revisionCount = UInt64(type.revisionCount(of: batch.records.count))
    return FrameChain(salt: chain.salt, checksum: checksum, nextRevision: chain.nextRevision + revisionCount)
  }
}
