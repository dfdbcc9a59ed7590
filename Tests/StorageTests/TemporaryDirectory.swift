import Glibc
import Platform

/// A directory for one test, removed with all that is in it when the test lets go of it.
struct TemporaryDirectory: ~Copyable {
  let path: String

  init() throws(SystemError) {
    path = "/tmp/latchkey-storage-\(UInt64.random(in: 0 ... .max))"
    try Directory.create(path)
  }

  /// The path of a store in it that is not there yet.
  var store: String { path + "/store" }

  deinit { Self.remove(path) }

  /// Copies a store's files as they are now, as a crash of its process would leave them, and returns the copy's path.
  func copy(of store: String) throws(SystemError) -> String {
    let copy = "\(path)/copy-\(UInt64.random(in: 0 ... .max))"
    try Directory.create(copy)
    for name in try Directory.names(in: store) {
      let source = try File("\(store)/\(name)", for: .read)
      let bytes = try source.read(source.size(), at: 0)
      try File("\(copy)/\(name)", for: .create).write(bytes.span, at: 0)
    }
    return copy
  }

  /// Removes a directory of files and directories.
  static func remove(_ path: String) {
    for name in (try? Directory.names(in: path)) ?? [] {
      let entry = "\(path)/\(name)"
      if unsafe unlink(entry) != 0 { remove(entry) }
    }
    unsafe rmdir(path)
  }
}
