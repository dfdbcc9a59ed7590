import Platform

/// Files that are read or written in one piece.
enum WholeFile {
  /// The bytes of a file, of which at most `limit` are read.
  static func read(_ path: String, limit: Int) throws(JournalError) -> [UInt8] {
    try reading { () throws(SystemError) in
      let file = try File(path, for: .read)
      return try file.read(min(file.size(), limit), at: 0)
    }
  }

  /// Puts a synced file in the place of `path` in one step; the caller syncs the directory.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let unfinished = path + FileNames.unfinished
    do throws(SystemError) {
      let file = try File(unfinished, for: .create)
      try file.write(bytes.span, at: 0)
      try file.synchronize()
    } catch {
      // The error that counts is the first; a file left over is removed at the next opening.
      try? Directory.remove(unfinished)
      throw error
    }
    try Directory.rename(unfinished, to: path)
  }
}
