import LatchkeyClient
import LatchkeyWire

extension GetRefundReportResponse {
  /// The report's counts under the names of the schema.
  var counts: [(name: String, count: Int64)] {
    [
      ("refunds", refunds), ("shared_refunds", sharedRefunds), ("family_departures", familyDepartures),
      ("bundle_upgrades", bundleUpgrades), ("reversals", reversals), ("unclaimed", unclaimed),
    ]
  }

  // MARK: In words

  /// The report for a person: totals, then what stands out, then each list.
  var inWords: String {
    if !sentence.isEmpty { return sentence }
    let parts = [
      totals, clusters.map(\.inWords).joined(separator: "\n"), list("by product", products), list("by day", days),
      list("by reason", reasons), list("by type", types),
      linesLeftOut > 0 ? "\(counted(linesLeftOut, "more line")) didn't fit: choose a shorter window or one product" : "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private var totals: String {
    var rows = counts.map { ($0.name.replacing("_", with: " "), String($0.count)) }
    rows.append(("full, in part", "\(refunds - refundsInPart), \(refundsInPart)"))
    rows.append(("reason 1 (developer issue)", String(developerIssues)))
    rows += amounts.map { ("refunded", $0.inWords) }
    rows.append(("people who lost access", "\(people) (\(refundsByPeople.map(\.inWords).joined(separator: ", ")))"))
    if let lag, lag.count > 0 {
      rows.append(
        (
          "recorded after",
          "p50 \(lag.medianMilliseconds.asDuration), p95 \(lag.percentile95Milliseconds.asDuration), "
            + "max \(lag.longestMilliseconds.asDuration)"
        ))
    }
    if unclaimed > 0 { rows.append(("unclaimed for", unclaimedByAge.inWords)) }
    return Help.table(rows)
  }

  private func list(_ title: String, _ lines: [RefundLine]) -> String {
    lines.isEmpty ? "" : "\(title):\n" + Help.table(lines.map { ($0.key.isEmpty ? "(none)" : $0.key, $0.inWords) })
  }

  // MARK: As a table

  /// The report for a spreadsheet: each number in a row of its own, so that columns never change.
  var table: CSVTable {
    var table = CSVTable(columns: ["section", "key", "measure", "currency", "value"])
    var total = RefundLine()
    (total.refunds, total.refundsInPart, total.developerIssues, total.people) = (refunds, refundsInPart, developerIssues, people)
    (total.sharedRefunds, total.familyDepartures, total.bundleUpgrades) = (sharedRefunds, familyDepartures, bundleUpgrades)
    (total.reversals, total.unclaimed, total.amounts) = (reversals, unclaimed, amounts)
    for (section, lines) in [
      ("total", [total]), ("product", products), ("day", days), ("reason", reasons), ("type", types),
    ] {
      for line in lines { line.add(to: &table, section: section) }
    }
    for entry in refundsByPeople { table.add("people", String(entry.people), "refunds", "", String(entry.refunds)) }
    for age in unclaimedByAge { table.add("unclaimed", age.name, "transactions", "", String(age.count)) }
    addLag(to: &table)
    for cluster in clusters { cluster.add(to: &table) }
    return table
  }

  private func addLag(to table: inout CSVTable) {
    guard let lag else { return }
    for (measure, value) in [
      ("count", lag.count), ("p50_ms", lag.medianMilliseconds), ("p95_ms", lag.percentile95Milliseconds),
      ("max_ms", lag.longestMilliseconds),
    ] { table.add("lag", "", measure, "", String(value)) }
  }
}

extension RefundLine {
  private var counts: [(name: String, count: Int64)] {
    [
      ("refunds", refunds), ("refunds_in_part", refundsInPart), ("developer_issues", developerIssues),
      ("shared_refunds", sharedRefunds), ("family_departures", familyDepartures), ("bundle_upgrades", bundleUpgrades),
      ("reversals", reversals), ("unclaimed", unclaimed), ("people", people),
    ]
  }

  /// What of the line isn't zero.
  fileprivate var inWords: String {
    let counted = counts.filter { $0.count > 0 }.map { "\($0.name.replacing("_", with: " ")) \($0.count)" }
    return (counted + amounts.map(\.inWords)).joined(separator: ", ")
  }

  fileprivate func add(to table: inout CSVTable, section: String) {
    for (name, count) in counts { table.add(section, key, name, "", String(count)) }
    for amount in amounts { table.add(section, key, "amount_milliunits", amount.currency, String(amount.amountMilliunits)) }
  }
}

extension LatchkeyWire.RefundCluster {
  fileprivate var inWords: String {
    var above: [String] = []
    if abovePast, let past { above.append("far above its own past (\(past.inWords))") }
    if aboveOthers, let others { above.append("far above the other products (\(others.inWords))") }
    return "LOOK AT \(productID): reason 1 in \(window?.inWords ?? ""), \(above.joined(separator: " and "))"
  }

  fileprivate func add(to table: inout CSVTable) {
    for (name, share) in [("window", window), ("past", past), ("others", others)] {
      table.add("cluster", productID, "\(name)_refunds", "", String(share?.refunds ?? 0))
      table.add("cluster", productID, "\(name)_developer_issues", "", String(share?.developerIssues ?? 0))
    }
    table.add("cluster", productID, "above_past", "", abovePast ? "1" : "0")
    table.add("cluster", productID, "above_others", "", aboveOthers ? "1" : "0")
  }
}

extension LatchkeyWire.IssueShare {
  fileprivate var inWords: String {
    guard refunds > 0 else { return "no refunds" }
    return "\(developerIssues) of \(refunds) refunds, \(developerIssues * 100 / refunds) %"
  }
}

extension RefundsByPeople {
  fileprivate var inWords: String {
    "\(counted(people, "person")) by \(counted(refunds, "refund"))".replacing("persons", with: "people")
  }
}

extension CurrencyAmount {
  var inWords: String { "\(amountMilliunits.inUnits) \(currency)" }
}

extension AgeClass {
  /// The class, such as `below 7 days`.
  var name: String { belowDays > 0 ? "below \(counted(belowDays, "day"))" : "older" }
}

extension [AgeClass] {
  /// The classes that hold something.
  var inWords: String { filter { $0.count > 0 }.map { "\($0.name): \($0.count)" }.joined(separator: ", ") }
}
