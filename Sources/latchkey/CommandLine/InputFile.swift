import Glibc
import Platform

/// A file that is read from its beginning to its end, or standard input, which has no other way to be read.
struct InputFile: ~Copyable {
  private let name: String
  private let descriptor: Descriptor

  /// Opens a file; `-` is standard input.
  init(_ path: String) throws(SystemError) {
    // A local, since a closure that reads a property of the unfinished value makes Swift 6.3.1 close descriptor 0.
    let name = path == "-" ? "standard input" : path
    let opened = try systemCall("open \(name)") {
      path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    }
    self.name = name
    descriptor = Descriptor(owning: opened)
  }

  /// Reads what is there, at most so many bytes, and waits until there is something; empty at the end.
  func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try systemCall("read \(name)") {
      unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor.rawValue, $0.baseAddress, $0.count) }
    }
    bytes.removeLast(count - read)
    return bytes
  }

  /// Reads a whole file.
  /// - Throws: `Failure` where it can't be read, or has more than 64 MiB.
  static func contents(_ path: String) throws -> [UInt8] {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while true {
      let chunk = try file.read(atMost: 1 << 18)
      if chunk.isEmpty { return bytes }
      bytes += chunk
      guard bytes.count <= sizeLimit else { throw Failure("\(path) has more than \(sizeLimit) bytes") }
    }
  }

  /// The most bytes of a file that is read whole.
  static let sizeLimit = 64 << 20

  /// Reads a whole file of UTF-8.
  static func text(_ path: String) throws -> String {
    guard let text = String(validating: try contents(path), as: UTF8.self) else { throw Failure("\(path) isn't UTF-8") }
    return text
  }
}
