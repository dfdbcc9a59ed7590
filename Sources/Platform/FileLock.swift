import CLinux
import Glibc

/// The right to be the only process that uses something, held until this value goes or the process ends.
package struct FileLock: ~Copyable, Sendable {
  private let descriptor: Descriptor

  /// Takes the lock of a file, which is made when missing (mode 0600); returns nil when somebody holds it.
  package static func acquire(_ path: String) throws(SystemError) -> FileLock? {
    let descriptor = Descriptor(
      owning: try systemCall("open \(path)") { unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) })
    do throws(SystemError) {
      try systemCall("flock \(path)") { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) }
    } catch {
      if error.errno == EWOULDBLOCK { return nil }
      throw error
    }
    return FileLock(descriptor: descriptor)
  }

  /// Takes a lock that any number of readers share while nobody holds it alone, and changes nothing on the disk.
  ///
  /// - Returns: nil where somebody holds it alone.
  /// - Throws: where there is no such file, too.
  package static func share(_ path: String) throws(SystemError) -> FileLock? {
    let descriptor = Descriptor(
      owning: try systemCall("open \(path)") { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) })
    do throws(SystemError) {
      try systemCall("flock \(path)") { flock(descriptor.rawValue, LOCK_SH | LOCK_NB) }
    } catch {
      if error.errno == EWOULDBLOCK { return nil }
      throw error
    }
    return FileLock(descriptor: descriptor)
  }
}
