/// The files of stores as a version wrote them once, which every later version must read: `Tests/Golden`, in a folder for each.
package enum GoldenFiles {
  /// The folder of one store.
  package static func path(_ store: String, source: String = #filePath) -> String {
    let tests = source.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(tests)/Golden/\(store)"
  }

  /// Set where the tests shall write these files anew instead of comparing them: after a change of a format that can't read what
  /// was written before, which only a major version makes.
  package static let writingVariable = "LATCHKEY_WRITE_GOLDEN"
}
