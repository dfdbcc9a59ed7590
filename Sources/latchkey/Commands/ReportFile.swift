import Platform

/// A file that takes its name, in place of one that has it, once it is written whole; made before the work that it tells of, so that
/// nobody learns at the end that it can't be written.
final class ReportFile {
  private let path: String
  private var file: File
  private var isWritten = false

  init(_ path: String) throws(SystemError) {
    self.path = path
    file = try File("\(path).new", for: .create)
  }

  deinit {
    if !isWritten { try? Directory.remove("\(path).new") }
  }

  /// Writes all that the file holds; called once.
  func write(_ text: String) throws(SystemError) {
    try file.write(Array(text.utf8).span, at: 0)
    try file.rename(to: path)
    isWritten = true
  }
}
