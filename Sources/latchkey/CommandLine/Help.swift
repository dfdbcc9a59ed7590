/// Writes what `--help` says.
enum Help {
  /// All commands, a line each.
  static var overview: String {
    """
    latchkey: who owns what, from App Store transactions.

    Usage: latchkey COMMAND …

    \(table(Command.all.map { ($0.name, $0.summary) }))

    `latchkey COMMAND --help` says more about one of them.
    """
  }

  /// Two columns, the first as wide as its widest entry.
  static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map { $0.0.count }.max() ?? 0
    return rows.map { "  \($0.0)\(String(repeating: " ", count: width - $0.0.count))  \($0.1)" }.joined(separator: "\n")
  }
}

extension Command {
  /// The command's usage, operands, options with defaults, exit statuses and example.
  var help: String {
    let usage = (["latchkey", name] + operands.map(\.usage) + ["[OPTIONS]"]).joined(separator: " ")
    let options = self.options.map { ([$0.name, $0.value].compactMap(\.self).joined(separator: " "), $0.explanation) }
    let parts = [
      "Usage: \(usage)", "`latchkey \(name)` \(summary).",
      operands.isEmpty ? nil : Help.table(operands.map { ($0.name, $0.meaning) }),
      "Options:\n" + Help.table(options + [("--help", "says this")]),
      "Exit status:\n" + Help.table(statuses.map { (String($0.status.rawValue), $0.meaning) }),
      "Example:\n  \(example)",
    ]
    return parts.compactMap(\.self).joined(separator: "\n\n")
  }
}

extension Option {
  fileprivate var explanation: String {
    let notes = [defaultMeaning.map { "default: \($0)" }, isRepeatable ? "may be repeated" : nil].compactMap(\.self)
    return notes.isEmpty ? meaning : "\(meaning) (\(notes.joined(separator: "; ")))"
  }
}
