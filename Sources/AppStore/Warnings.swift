/// What is odd about a document and didn't stop it, a sentence each.
enum Warnings {
  /// The most sentences of one document.
  static let limit = 100

  /// The first of them, and a sentence that counts the others.
  static func shortened(_ warnings: [String]) -> [String] {
    guard warnings.count > limit else { return warnings }
    return warnings.prefix(limit - 1) + ["… and \(warnings.count - limit + 1) more warnings"]
  }
}
