import Glibc
import Platform

/// A directory for one test, removed with all that is in it when the test lets go of it.
struct TemporaryDirectory: ~Copyable {
  let path: String

  init() throws(SystemError) {
    path = "/tmp/latchkey-journaling-\(UInt64.random(in: 0 ... .max))"
    try Directory.create(path)
  }

  /// The path of a store in it that is not there yet.
  var store: String { path + "/store" }

  deinit { Self.remove(path) }

  /// Removes a directory of files and directories.
  static func remove(_ path: String) {
    for name in (try? Directory.names(in: path)) ?? [] {
      let entry = "\(path)/\(name)"
      if unsafe unlink(entry) != 0 { remove(entry) }
    }
    unsafe rmdir(path)
  }
}
