import Glibc

/// A system call that the kernel refused: its error number, and what was being done to what.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The value of `errno` right after the call.
  package let errno: Int32
  /// The call and its subject in words, such as `open /var/lib/latchkey/lock`.
  package let operation: String

  package init(errno: Int32, operation: String) {
    self.errno = errno
    self.operation = operation
  }

  /// Reads as `open /var/lib/latchkey/lock: Permission denied (errno 13)`.
  package var description: String { "\(operation): \(Self.meaning(of: errno)) (errno \(errno))" }

  /// True when the file system, the quota or the limit on the length of a file has no room left.
  package var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT || errno == EFBIG }

  /// True when the user may not do this to what was named.
  package var isForbidden: Bool { errno == EACCES || errno == EPERM }

  /// True when the file system takes no changes.
  package var isReadOnly: Bool { errno == EROFS }

  /// True when the disk itself failed.
  package var isInputOutput: Bool { errno == EIO }

  /// True when what was named isn't there.
  package var isMissingFile: Bool { errno == ENOENT }

  private static func meaning(of errno: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, unsafe strerror_r(errno, start, buffer.count) == 0 else { return "unknown error" }
      return unsafe String(cString: start)
    }
  }
}
