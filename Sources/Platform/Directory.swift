import Glibc

/// What can be done to a directory and the names in it.
package enum Directory {
  /// Makes a directory for its owner alone (mode 0700); its parent must exist.
  package static func create(_ path: String) throws(SystemError) {
    try systemCall("mkdir \(path)") { unsafe mkdir(path, 0o700) }
  }

  /// True when the path names something, whatever it is.
  package static func exists(_ path: String) throws(SystemError) -> Bool {
    do throws(SystemError) {
      var status = stat()
      try systemCall("stat \(path)") { unsafe lstat(path, &status) }
      return true
    } catch {
      if error.errno == ENOENT { return false }
      throw error
    }
  }

  /// Whether a path names a directory, also through a symbolic link.
  package static func isDirectory(_ path: String) throws(SystemError) -> Bool {
    var status = stat()
    try systemCall("stat \(path)") { unsafe stat(path, &status) }
    return status.st_mode & S_IFMT == S_IFDIR
  }

  /// The length of what a path names in bytes, whatever it is; a symbolic link isn't followed.
  package static func byteCount(of path: String) throws(SystemError) -> Int {
    var status = stat()
    try systemCall("stat \(path)") { unsafe lstat(path, &status) }
    return Int(status.st_size)
  }

  /// When what a path names was last written to, in milliseconds since 1970 UTC.
  package static func modificationMilliseconds(of path: String) throws(SystemError) -> Int64 {
    var status = stat()
    try systemCall("stat \(path)") { unsafe lstat(path, &status) }
    return Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
  }

  /// The names in a directory, sorted, without `.` and `..`.
  package static func names(in path: String) throws(SystemError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw SystemError(errno: errno, operation: "open directory \(path)") }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      Glibc.errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw SystemError(errno: errno, operation: "read directory \(path)") }
    return names.sorted()
  }

  /// Waits until the names in a directory, as they are now, are on the disk.
  package static func synchronize(_ path: String) throws(SystemError) {
    let directory = Descriptor(
      owning: try systemCall("open directory \(path)") { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
    try systemCall("fsync \(path)") { fsync(directory.rawValue) }
  }

  /// The directory in which a path's last name stands.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Gives a file another name in one step, in place of one that has it.
  package static func rename(_ path: String, to target: String) throws(SystemError) {
    try systemCall("rename \(path) to \(target)") { unsafe Glibc.rename(path, target) }
  }

  /// Gives a file a second name in the same file system; throws where that name is taken.
  package static func link(_ path: String, as other: String) throws(SystemError) {
    try systemCall("link \(path) as \(other)") { unsafe Glibc.link(path, other) }
  }

  /// Removes a file's name.
  package static func remove(_ path: String) throws(SystemError) {
    try systemCall("unlink \(path)") { unsafe unlink(path) }
  }
}
