/// What was odd about a recording and didn't stop it, a sentence each.
enum Warnings {
  /// The most sentences of one response.
  static let limit = 100

  /// Each sentence once, in order; where there are too many, the first of them and a sentence that counts the others.
  static func listed(_ warnings: [String]) -> [String] {
    if warnings.count < 2 { return warnings }
    var said: Set<String> = []
    let warnings = warnings.filter { said.insert($0).inserted }
    guard warnings.count > limit else { return warnings }
    return warnings.prefix(limit - 1) + ["… and \(warnings.count - limit + 1) more warnings"]
  }
}
