/// The words of a command line, sorted by what its command declares.
struct Arguments: Sendable {
  /// What was given for the operands, in order.
  private(set) var words: [String] = []
  private var values: [String: [String]] = [:]
  private let declared: [Option]

  /// Sorts the words behind a command's name; nil where they ask for help.
  ///
  /// Options may stand anywhere, as `--name VALUE` or `--name=VALUE`; behind `--` everything is an operand.
  /// - Throws: `UsageError` for an unknown or repeated option, a missing or needless value, and too many or too few operands.
  init?(parsing input: ArraySlice<String>, of command: Command) throws(UsageError) {
    declared = command.options
    var rest = input
    while let word = rest.popFirst() {
      if word == "--" {
        words += rest
        break
      } else if word == "--help" || word == "-h" {
        return nil
      } else if word.hasPrefix("-"), word != "-" {
        try take(option: word, from: &rest)
      } else {
        words.append(word)
      }
    }
    try checkOperands(command.operands)
  }

  private mutating func take(option word: String, from rest: inout ArraySlice<String>) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = declared.first(where: { $0.name == parts[0] }) else {
      throw UsageError("unknown option \(parts[0])")
    }
    guard option.isRepeatable || values[option.name] == nil else { throw UsageError("\(option.name) stands twice") }
    values[option.name, default: []].append(try value(of: option, parts, from: &rest))
  }

  private func value(of option: Option, _ parts: [String], from rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let name = option.value else {
      if parts.count > 1 { throw UsageError("\(option.name) takes no value") }
      return ""
    }
    if parts.count > 1 { return parts[1] }
    guard let next = rest.popFirst() else { throw UsageError("\(option.name) needs a value: \(option.name) \(name)") }
    return next
  }

  private func checkOperands(_ operands: [Operand]) throws(UsageError) {
    if words.count < operands.count, operands[words.count].isRequired {
      throw UsageError("\(operands[words.count].name) is missing: \(operands[words.count].meaning)")
    }
    if words.count > operands.count, operands.last?.isRepeatable != true {
      throw UsageError("unexpected word \(words[operands.count])")
    }
  }

  // MARK: What was given

  /// Whether an option was given.
  func has(_ option: Option) -> Bool { values[option.name] != nil }

  /// The value of an option, else its default; nil where it has none, or where the command doesn't have the option.
  func text(_ option: Option) -> String? {
    guard let own = declared.first(where: { $0.name == option.name }) else { return nil }
    return values[own.name]?.last ?? own.defaultValue
  }

  /// All values of an option that may be repeated.
  func texts(_ option: Option) -> [String] { values[option.name] ?? [] }

  /// The value of an option as something else.
  /// - Throws: `UsageError` saying what was expected, where the conversion gives nil.
  func value<Value>(_ option: Option, expecting expected: String, _ convert: (String) -> Value?) throws(UsageError) -> Value? {
    guard let text = text(option) else { return nil }
    guard let value = convert(text) else { throw UsageError("\(option.name): expected \(expected), found \(text)") }
    return value
  }
}
