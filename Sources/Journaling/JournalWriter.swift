import Platform

/// The one place where the journal grows; belongs to one thread at a time.
struct JournalWriter: ~Copyable, Sendable {
  private let directory: String
  private let options: JournalOptions
  private let manifest: Guarded<ManifestFile>
  private var segment: SegmentWriter
  /// The next segment, while the manifest could not yet be told of it. The current one must not change any more, since the
  /// header of the next says where it ends.
  private var prepared: SegmentWriter?
  private var failure: SystemError?
  private var buffer: [UInt8] = []

  init(directory: String, options: JournalOptions, manifest: Guarded<ManifestFile>, segment: consuming SegmentWriter) {
    self.directory = directory
    self.options = options
    self.manifest = manifest
    self.segment = segment
  }

  /// Writes and syncs one batch; returns the revision of its last record.
  mutating func append(_ batch: FrameRecords) throws(JournalError) -> UInt64 {
    precondition(!batch.records.isEmpty, "a batch has records")
    try append(.batch, batch)
    return segment.chain.nextRevision - 1
  }

  /// Writes and syncs the digest of a state that is on the disk.
  mutating func append(_ note: DigestNote) throws(JournalError) { try append(.digest, FrameRecords(records: [note.encoded()])) }

  private mutating func append(_ type: FrameType, _ batch: FrameRecords) throws(JournalError) {
    let length = try FrameWriter.length(of: batch)
    try write { (writer) throws(JournalError) in
      if writer.prepared != nil || !writer.segment.hasRoom(for: length) { try writer.rotate(for: length) }
      try writer.segment.append(type, batch, length: length, buffer: &writer.buffer)
    }
  }

  /// Writes and syncs a seal, unless the last frame proves as much or the next segment already proves where this one ends.
  mutating func seal() throws(JournalError) {
    try write { (writer) throws(JournalError) in
      guard writer.prepared == nil, !writer.segment.isSealed else { return }
      try writer.segment.append(.seal, FrameRecords(), length: FrameFormat.sealBytes, buffer: &writer.buffer)
    }
  }

  /// Goes on in a new segment, unless the current one has no records.
  mutating func startSegment() throws(JournalError) {
    try write { (writer) throws(JournalError) in
      guard writer.segment.chain.nextRevision > writer.segment.header.firstRevision else { return }
      try writer.rotate(for: FrameFormat.sealBytes)
    }
  }

  /// Runs a write, and remembers a failure after which none may follow.
  private mutating func write(_ body: (inout JournalWriter) throws(JournalError) -> Void) throws(JournalError) {
    if let failure { throw .failed(failure) }
    do throws(JournalError) {
      try body(&self)
    } catch {
      if case .failed(let reason) = error { failure = reason }
      throw error
    }
  }

  /// Goes on in a new segment: first it is on the disk, then the manifest names it, then it is written to.
  private mutating func rotate(for frameBytes: Int) throws(JournalError) {
    if prepared?.hasRoom(for: frameBytes) != true {
      let header = segment.header.next(after: segment.chain, salt: options.randomNumber())
      let capacity = SegmentWriter.capacity(for: frameBytes, usual: options.segmentBytes)
      prepared = try SegmentWriter.create(in: directory, header: header, capacity: capacity)
    }
    let first = segment.chain.nextRevision
    try writing { [manifest] () throws(SystemError) in
      try manifest.withLock { (file) throws(SystemError) in
        try file.update {
          $0.lastSegment = first
          $0.completeRevision = first - 1
        }
      }
    }
    if let next = prepared.take() { segment = next }
  }
}
