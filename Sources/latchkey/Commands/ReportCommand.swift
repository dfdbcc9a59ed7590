import LatchkeyClient
import LatchkeyWire

extension Command {
  static let report = Command(
    name: "report", summary: "counts refunds and the access that ended with them, over all time",
    operands: [Operand(name: "KIND", meaning: "the report: refunds")], options: Option.asking,
    example: "latchkey report refunds",
    action: .concurrent { arguments in
      guard arguments.words[0] == "refunds" else {
        throw UsageError("there is no report \(arguments.words[0]); there is: refunds")
      }
      let report = try await arguments.latchkey().refundReport()
      arguments.show(report) { report.inWords }
      return .success
    })
}

extension GetRefundReportResponse {
  /// The report's counts under the names of the schema.
  var counts: [(name: String, count: Int64)] {
    [
      ("refunds", refunds), ("shared_refunds", sharedRefunds), ("family_departures", familyDepartures),
      ("bundle_upgrades", bundleUpgrades), ("reversals", reversals), ("unclaimed", unclaimed),
    ]
  }

  fileprivate var inWords: String {
    let money = amounts.map { ("refunded", "\($0.amountMilliunits.inUnits) \($0.currency)") }
    return Help.table(counts.map { ($0.name.replacing("_", with: " "), String($0.count)) } + money)
  }
}
