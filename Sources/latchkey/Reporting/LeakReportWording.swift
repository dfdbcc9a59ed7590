import LatchkeyClient
import LatchkeyWire

extension GetLeakReportResponse {
  /// The report for a person: totals, then each revocation, then what has to be looked at.
  var inWords: String {
    let leaks = self.leaks.map { "  - \($0.inWords)" }.joined(separator: "\n")
    let more = revocations - Int64(self.leaks.count)
    let parts = [
      sentence.isEmpty ? totals : sentence, leaks, more > 0 ? "and \(counted(more, "revocation")) that cost less" : "", oddities,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
  }

  private var totals: String {
    Help.table([
      ("revocations", String(revocations)), ("checks allowed on them", served.inWords(cost: servedCostMicros)),
      ("of these too late", late.inWords(cost: lateCostMicros)),
    ])
  }

  private var oddities: String {
    var lines = [
      "shared transactions that are active on a refunded purchase: \(stillActiveCount)"
        + (stillActiveCount > 0 ? " (a defect; keep this): \(stillActive.joined(separator: ", "))" : "")
    ]
    lines += crowded.map { "purchase \($0.originalTransactionID) is shared by \($0.people) people; a family has six at most" }
    if crowdedCount > Int64(crowded.count) { lines.append("\(crowdedCount) purchases are shared by more than six people") }
    let unclaimed = unclaimedByAge.reduce(0) { $0 + $1.count }
    lines.append("unclaimed transactions: \(unclaimed)" + (unclaimed > 0 ? " (\(unclaimedByAge.inWords))" : ""))
    return lines.joined(separator: "\n")
  }

  /// The report for a spreadsheet: a row for each finding, which leaves empty what it doesn't have.
  var table: CSVTable {
    var table = CSVTable(columns: [
      "finding", "id", "product_id", "revoked", "recorded", "count", "served", "served_is_upper_bound", "late",
      "late_is_upper_bound", "served_cost", "late_cost",
    ])
    for leak in leaks {
      table.add(
        leak.kind.description, leak.transactionID, leak.productID, leak.revokedMilliseconds.inUTC,
        leak.recordedMilliseconds == 0 ? "" : leak.recordedMilliseconds.inUTC, String(leak.people),
        String(leak.served?.checks ?? 0), leak.served?.upperBound == true ? "1" : "0", String(leak.late?.checks ?? 0),
        leak.late?.upperBound == true ? "1" : "0", leak.servedCostMicros.map(\.inMillionths) ?? "",
        leak.lateCostMicros.map(\.inMillionths) ?? "")
    }
    for transaction in stillActive { table.add("STILL_ACTIVE", transaction) }
    for purchase in crowded { table.add("CROWDED", purchase.originalTransactionID, "", "", "", String(purchase.people)) }
    for age in unclaimedByAge { table.add("UNCLAIMED", age.name, "", "", "", String(age.count)) }
    return table
  }
}

extension LatchkeyWire.Leak {
  fileprivate var inWords: String {
    let recorded = recordedMilliseconds == 0 ? "" : ", recorded \(recordedMilliseconds.inUTC)"
    let who = "\(counted(people, "person"))".replacing("persons", with: "people")
    return "\(kind) \(transactionID) (\(productID)) of \(revokedMilliseconds.inUTC)\(recorded): \(who), "
      + "\(served.inWords(cost: servedCostMicros)) in all, \(late.inWords(cost: lateCostMicros)) too late"
  }
}

extension LatchkeyWire.CheckCount? {
  /// The count, such as `at most 12 checks (0.024)`.
  func inWords(cost micros: Int64?) -> String {
    let bound = self?.upperBound == true ? "at most " : ""
    return bound + counted(self?.checks ?? 0, "check") + (micros.map { " (\($0.inMillionths))" } ?? "")
  }
}
