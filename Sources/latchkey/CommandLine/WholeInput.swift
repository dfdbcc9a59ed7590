import Platform

extension InputFile {
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
