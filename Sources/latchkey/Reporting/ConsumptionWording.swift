import LatchkeyClient
import LatchkeyWire

extension GetConsumptionResponse {
  /// What is known for a person, under Apple's names, and what they have to add.
  var inWords: String {
    let apple: [(String, String?)] = [
      ("deliveryStatus", deliveryStatus.isEmpty ? nil : deliveryStatus),
      ("consumptionPercentage", consumptionPercentage.map { "\($0) (of 100000)" }),
      ("consumptionStatus", consumptionStatus == 0 ? nil : String(consumptionStatus)),
      ("accountTenure", accountTenure == 0 ? nil : String(accountTenure)),
      ("lifetimeDollarsPurchased", lifetimeDollarsPurchased.map(String.init)),
      ("lifetimeDollarsRefunded", lifetimeDollarsRefunded.map(String.init)),
      ("appAccountToken", appAccountToken.isEmpty ? nil : appAccountToken),
    ]
    let known: [(String, String)] = [
      ("allowed checks", (checks?.upperBound == true ? "at most " : "") + String(checks?.checks ?? 0) + " since the purchase"),
      ("last used", lastUsedMilliseconds == 0 ? "never" : "in the hour from \(lastUsedMilliseconds.inUTC)"),
      ("customer since", customerSinceMilliseconds == 0 ? "not known" : customerSinceMilliseconds.inUTC),
      ("bought", purchased.isEmpty ? "nothing with a price" : purchased.map(\.inWords).joined(separator: ", ")),
      ("refunds", "\(refunds)" + (refunded.isEmpty ? "" : ": " + refunded.map(\.inWords).joined(separator: ", "))),
    ]
    return [
      "\(transactionID) (\(productID)), a purchase of \(customerID)",
      Help.table(apple.compactMap { name, value in value.map { (name, $0) } } + known),
      "not answered here:\n" + Help.table(leftOut.map { ($0.field, $0.reason) }),
    ].joined(separator: "\n\n")
  }
}
