import Glibc
import Platform

/// A directory for one test, removed with all that is in it when the test lets go of it.
struct TemporaryDirectory: ~Copyable {
  let path: String

  init(in parent: String = "/tmp") throws(SystemError) {
    path = "\(parent)/latchkey-storage-\(UInt64.random(in: 0 ... .max))"
    try Directory.create(path)
  }

  /// The path of a store in it that is not there yet.
  var store: String { path + "/store" }

  deinit { Self.remove(path) }

  /// Copies a store's files as they are now, as a crash of its process would leave them, and returns the copy's path.
  func copy(of store: String) throws(SystemError) -> String {
    let copy = "\(path)/copy-\(UInt64.random(in: 0 ... .max))"
    try Directory.create(copy)
    for (name, bytes) in try StoredFiles(in: store).contents {
      try File("\(copy)/\(name)", for: .create).write(bytes.span, at: 0)
    }
    return copy
  }

  /// Whether some file of the store contains a text.
  func holds(_ text: String) throws(SystemError) -> Bool {
    try StoredFiles(in: store).contents.values.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  /// Runs the body while a directory stands where the store would write a snapshot, which then fails.
  func blockingSnapshot(of revision: UInt64, _ body: () -> Void) throws(SystemError) {
    let digits = String(revision)
    let blocker = "\(store)/snapshot-\(String(repeating: "0", count: 20 - digits.count))\(digits).lk.tmp"
    try Directory.create(blocker)
    body()
    unsafe rmdir(blocker)
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
