import Glibc

/// A file that is read from its beginning to its end, or standard input, which has no other way to be read.
package struct InputFile: ~Copyable {
  private let name: String
  private let descriptor: Descriptor

  /// Opens a file; `-` is standard input.
  package init(_ path: String) throws(SystemError) {
    // A local, since a closure that reads a property of the unfinished value makes Swift 6.3.1 close descriptor 0.
    let name = path == "-" ? "standard input" : path
    let opened = try systemCall("open \(name)") {
      path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    }
    self.name = name
    descriptor = Descriptor(owning: opened)
  }

  /// Reads what is there, at most so many bytes, and waits until there is something; empty at the end.
  package func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try systemCall("read \(name)") {
      unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor.rawValue, $0.baseAddress, $0.count) }
    }
    bytes.removeLast(count - read)
    return bytes
  }
}
