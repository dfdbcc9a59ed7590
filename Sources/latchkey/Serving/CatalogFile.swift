import AppStore
import Entitlements
import Platform

extension Catalog {
  /// Reads a catalog file.
  /// - Throws: `Failure` naming the file, and the line and key of what is wrong in it.
  init(file path: String) throws {
    let bytes = try InputFile.contents(path)
    do {
      try self.init(parsing: bytes)
    } catch {
      throw Failure("\(path): \(error)")
    }
  }
}
