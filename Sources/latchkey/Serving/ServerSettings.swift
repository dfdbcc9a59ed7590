import Entitlements

/// The settings on which decisions depend, as options of `serve`: one for each.
extension Settings {
  static let options = [
    environmentOption, bundleIDOption, transferPolicyOption, customerFromTokenOption, clockSkewOption, sandboxCustomerOption,
  ]

  private static let environmentOption = Option(
    "--environment", "NAME", "whose transactions count: Production, Sandbox, Xcode or LocalTesting", default: "Production")
  private static let bundleIDOption = Option(
    "--bundle-id", "ID", "the one app that is answered for; others are refused", defaultMeaning: "any app")
  private static let transferPolicyOption = Option(
    "--transfer-policy", "POLICY", "what a claim by another customer does: move, keep or share", default: "move")
  private static let customerFromTokenOption = Option(
    flag: "--customer-from-app-account-token", "takes the appAccountToken as the customer where none is named")
  private static let clockSkewOption = Option(
    "--clock-skew", "DURATION", "how much earlier than its purchase a transaction grants: 500ms, 60s, 5m; bare: milliseconds",
    default: "60s")
  private static let sandboxCustomerOption = Option(
    "--sandbox-customer", "ID", "a customer who may hold Sandbox transactions in Production, or a prefix that ends in *",
    isRepeatable: true)

  /// Reads the settings from the options of `serve`.
  init(_ arguments: Arguments) throws(UsageError) {
    self.init()
    environment =
      try arguments.value(Settings.environmentOption, expecting: "Production, Sandbox, Xcode or LocalTesting") {
        Entitlements.Environment(known: $0)
      } ?? environment
    bundleID = try arguments.value(Settings.bundleIDOption, expecting: "an id") { $0.isEmpty ? nil : $0 }
    transferPolicy =
      try arguments.value(Settings.transferPolicyOption, expecting: "move, keep or share") { TransferPolicy(rawValue: $0) }
      ?? transferPolicy
    customerFromAppAccountToken = arguments.has(Settings.customerFromTokenOption)
    clockSkewMilliseconds =
      try arguments.value(Settings.clockSkewOption, expecting: "a duration such as 500ms, 60s or 5m") {
        Settings.milliseconds($0)
      }
      ?? clockSkewMilliseconds
    sandboxCustomers = arguments.texts(Settings.sandboxCustomerOption)
    if sandboxCustomers.contains("") { throw UsageError("--sandbox-customer: expected an id, found nothing") }
  }

  /// The options that give a server these settings.
  var words: [String] {
    var values: [(Option, String)] = [
      (Settings.environmentOption, environment.text), (Settings.transferPolicyOption, transferPolicy.rawValue),
      (Settings.clockSkewOption, "\(clockSkewMilliseconds)ms"),
    ]
    if let bundleID { values.append((Settings.bundleIDOption, bundleID)) }
    values += sandboxCustomers.map { (Settings.sandboxCustomerOption, $0) }
    return values.map { "\($0.name)=\($1)" } + (customerFromAppAccountToken ? [Settings.customerFromTokenOption.name] : [])
  }

  /// Reads a duration of `ms`, `s`, `m` or `h`; nil for anything else and below zero.
  static func milliseconds(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units: [Substring: Int64] = ["": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000]
    guard let count = Int64(digits), let unit = units[text.dropFirst(digits.count)] else { return nil }
    let (milliseconds, isOver) = count.multipliedReportingOverflow(by: unit)
    return isOver ? nil : milliseconds
  }
}

extension Entitlements.Environment {
  /// One of Apple's four environments by Apple's name; nil for another name.
  init?(known name: String) {
    self.init(text: name)
    if case .other = self { return nil }
  }
}
