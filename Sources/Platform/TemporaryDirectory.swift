import Glibc

/// An empty directory of its own, which is removed with all that is in it when nothing refers to it any more.
package final class TemporaryDirectory: Sendable {
  package let path: String

  /// Makes a directory in `$TMPDIR`, or in `/tmp`.
  package init() throws(SystemError) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/latchkey-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw SystemError(errno: errno, operation: "make a directory in \(parent)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryDirectory.remove(path) }

  /// Removes what is there; what can't be removed is left to whoever cleans up temporary files.
  private static func remove(_ path: String) {
    let names = (try? Directory.names(in: path)) ?? []
    for name in names { remove("\(path)/\(name)") }
    _ = unsafe Glibc.remove(path)
  }

  /// Writes a file in place of one of that name, in one step.
  package func write(_ text: String, to name: String) throws(SystemError) {
    var file = try File("\(path)/\(name).new", for: .create)
    try file.write(Array(text.utf8).span, at: 0)
    try file.rename(to: "\(path)/\(name)")
  }
}
