import Glibc

/// An open file descriptor with one owner, closed when its owner lets go of it.
package struct Descriptor: ~Copyable, Sendable {
  /// The number that the kernel knows it by, valid as long as this value lives.
  package let rawValue: Int32

  /// Takes over a descriptor that nobody else closes.
  package init(owning rawValue: Int32) {
    precondition(rawValue >= 0, "not a file descriptor")
    self.rawValue = rawValue
  }

  deinit {
    // Linux frees the descriptor even when close reports an error, so it is never tried again.
    if close(rawValue) != 0 { precondition(errno != EBADF, "a descriptor was closed behind its owner") }
  }

  /// Hands the descriptor to the caller, who closes it.
  package consuming func release() -> Int32 {
    let released = rawValue
    discard self
    return released
  }
}
