import LatchkeyClient
import LatchkeyWire
import Platform

extension Command {
  static let catalog = Command(
    name: "catalog", summary: "says what another catalog would give to customers and take from them, and changes nothing",
    operands: [
      Operand(name: "WORK", meaning: "what to do: diff"),
      Operand(name: "FILE", meaning: "the other catalog; without it the server's own file as it is now", isRequired: false),
    ],
    options: Option.working,
    statuses: [
      (.success, "a reload would take it"), (.no, "a reload would refuse it without --force"), (.failure, "usage or error"),
    ],
    example: "latchkey catalog diff catalog.json",
    action: .concurrent { arguments in
      guard arguments.words[0] == "diff" else {
        throw UsageError("there is no work \(arguments.words[0]) on a catalog; there is: diff")
      }
      var request = CompareCatalogRequest()
      if arguments.words.count > 1 {
        request.catalogJSON = try InputFile.text(arguments.words[1])
        if request.catalogJSON.isEmpty { throw Failure("\(arguments.words[1]) is empty") }
      } else {
        request.useFile = true
      }
      let difference = try await arguments.latchkey().compareCatalog(request, deadline: arguments.patience)
      arguments.show(difference) { difference.inWords }
      return difference.wouldBeRefused ? .no : .success
    })
}

extension CompareCatalogResponse {
  fileprivate var inWords: String {
    let total = "\(customersLosing) of \(counted(customers, "customer")) would lose something, \(customersGaining) gain something"
    let verdict =
      wouldBeRefused
      ? "A reload refuses it without --force: at most \(limitPartsPerMillion.inPercent) may lose something, and "
        + "\(losingPartsPerMillion.inPercent) would."
      : nil
    let parts: [String?] = [
      total, CompareCatalogResponse.table("Products:", products), CompareCatalogResponse.table("Entitlements:", entitlements),
      losingExamples.isEmpty ? nil : "Losing: \(losingExamples.joined(separator: ", "))",
      gainingExamples.isEmpty ? nil : "Gaining: \(gainingExamples.joined(separator: ", "))", verdict,
    ]
    return parts.compactMap(\.self).joined(separator: "\n")
  }

  private static func table(_ title: String, _ effects: [CatalogEffect]) -> String? {
    if effects.isEmpty { return nil }
    let rows = effects.map { ($0.name, "\($0.customersLosing) lose something by it, \($0.customersGaining) gain something") }
    return title + "\n" + Help.table(rows)
  }
}

extension UInt32 {
  /// Parts per million as a percentage, such as `12.5 %`.
  fileprivate var inPercent: String { "\(Double(self) / 10_000) %" }
}
