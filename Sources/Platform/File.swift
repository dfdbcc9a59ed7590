import Glibc

/// An open regular file that is read and written at offsets given by the caller.
///
/// Every function repeats short reads and writes until all is done, and throws the kernel's error with the file's path.
package struct File: ~Copyable, Sendable {
  /// What may be done with a file, and what opening does to it.
  package enum Access: Sendable {
    /// Reads a file that exists.
    case read
    /// Reads and writes a file that exists.
    case update
    /// Makes an empty file for its owner alone (mode 0600), in place of one of that name.
    case create

    fileprivate var flags: Int32 {
      switch self {
      case .read: O_RDONLY
      case .update: O_RDWR
      case .create: O_RDWR | O_CREAT | O_TRUNC
      }
    }
  }

  /// The path that it was opened by or renamed to.
  package private(set) var path: String
  private let descriptor: Descriptor

  package init(_ path: String, for access: Access) throws(SystemError) {
    self.path = path
    descriptor = Descriptor(
      owning: try systemCall("open \(path)") { unsafe open(path, access.flags | O_CLOEXEC | O_NOFOLLOW, 0o600) })
  }

  /// The number of bytes up to its end.
  package func size() throws(SystemError) -> Int {
    var status = stat()
    try systemCall("stat \(path)") { unsafe fstat(descriptor.rawValue, &status) }
    return Int(status.st_size)
  }

  /// Reads `count` bytes from `offset`, fewer only where the file ends.
  package func read(_ count: Int, at offset: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let step = try systemCall("read \(path)") {
        unsafe pread(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset + done))
      }
      if step == 0 { break }
      done += step
    }
    return done
  }

  /// Writes all the bytes at `offset`; after an error any part of them may be in the file.
  package func write(_ bytes: Span<UInt8>, at offset: Int) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      done += try systemCall("write \(path)") {
        unsafe bytes.extracting(droppingFirst: done).withUnsafeBytes { rest in
          unsafe pwrite(descriptor.rawValue, rest.baseAddress, rest.count, off_t(offset + done))
        }
      }
    }
  }

  /// Writes zeros from `start` up to `end`, so that the blocks are there before they are needed.
  package func fillWithZeros(from start: Int, to end: Int) throws(SystemError) {
    let zeros = [UInt8](repeating: 0, count: min(max(end - start, 0), 1 << 20))
    var offset = start
    while offset < end {
      let step = min(zeros.count, end - offset)
      try write(zeros.span.extracting(first: step), at: offset)
      offset += step
    }
  }

  /// Cuts the file, or extends it by a hole, to `size` bytes.
  package func truncate(to size: Int) throws(SystemError) {
    try systemCall("truncate \(path)") { ftruncate(descriptor.rawValue, off_t(size)) }
  }

  /// Waits until the bytes, and what is needed to find them, are on the disk. Never call it again after it failed:
  /// the kernel forgets what it could not write, and the second call would say success.
  package func synchronizeData() throws(SystemError) {
    try systemCall("fdatasync \(path)") { fdatasync(descriptor.rawValue) }
  }

  /// Waits like `synchronizeData` also for the file's own attributes.
  package func synchronize() throws(SystemError) {
    try systemCall("fsync \(path)") { fsync(descriptor.rawValue) }
  }

  /// Gives the file another name in one step, in place of one that has it.
  package mutating func rename(to target: String) throws(SystemError) {
    try Directory.rename(path, to: target)
    path = target
  }

  /// Lets the kernel forget its copies of synced bytes, so that the next read comes from the disk.
  package func dropCachedPages() throws(SystemError) {
    let result = posix_fadvise(descriptor.rawValue, 0, 0, POSIX_FADV_DONTNEED)
    if result != 0 { throw SystemError(errno: result, operation: "fadvise \(path)") }
  }
}
