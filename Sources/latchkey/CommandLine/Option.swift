/// An option that a command understands, declared once for the parser and for `--help`.
struct Option: Sendable {
  /// With its dashes, such as `--connect`.
  let name: String
  /// What stands for its value in the usage, such as `HOST:PORT`; nil: the option is a flag.
  let value: String?
  let meaning: String
  /// The value where the option isn't given; nil: none.
  let defaultValue: String?
  /// What `--help` calls the default where it is no value, such as `now`.
  let defaultMeaning: String?
  /// Whether it may be given more than once.
  let isRepeatable: Bool

  /// Declares an option with a value.
  init(
    _ name: String, _ value: String, _ meaning: String, default defaultValue: String? = nil, defaultMeaning: String? = nil,
    isRepeatable: Bool = false
  ) {
    (self.name, self.value, self.meaning) = (name, value, meaning)
    (self.defaultValue, self.isRepeatable) = (defaultValue, isRepeatable)
    self.defaultMeaning = defaultMeaning ?? defaultValue
  }

  /// Declares a flag.
  init(flag name: String, _ meaning: String) {
    (self.name, value, self.meaning) = (name, nil, meaning)
    (defaultValue, defaultMeaning, isRepeatable) = (nil, nil, false)
  }
}

/// A word that a command takes by its place.
struct Operand: Sendable {
  /// As the usage shows it, such as `CUSTOMER`.
  let name: String
  let meaning: String
  var isRequired = true
  /// Whether any number of words may stand in its place; only of the last one.
  var isRepeatable = false

  /// The operand in a line of usage.
  var usage: String {
    let repeated = isRepeatable ? "\(name)…" : name
    return isRequired ? repeated : "[\(repeated)]"
  }
}

extension Operand {
  static let customer = Operand(name: "CUSTOMER", meaning: "the customer's id in your backend")
}

extension Option {
  static let at = Option("--at", "TIME", "the moment asked about, such as 2026-03-01T00:00:00Z", defaultMeaning: "now")
  static let connect = Option("--connect", "HOST:PORT", "the server to speak to", default: "127.0.0.1:7450")
  static let deadline = Option("--deadline", "SECONDS", "how long an answer may take", default: "10")
  static let longDeadline = Option("--deadline", "SECONDS", "how long the work may take", defaultMeaning: "as long as it takes")
  static let json = Option(flag: "--json", "prints JSON, a line each, with the field names of schema/latchkey.proto")

  /// What every command has that asks a server something.
  static let asking = [connect, deadline, json]
  /// The same for work that may take minutes.
  static let working = [connect, longDeadline, json]
}
