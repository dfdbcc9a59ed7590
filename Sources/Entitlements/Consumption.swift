/// What Latchkey knows for the answer to Apple's CONSUMPTION_REQUEST about a purchase, in the terms of Apple's fields
/// (developer.apple.com/documentation/appstoreserverapi/consumptionrequest, and consumptionrequestv1 for what the newer one left
/// out). What can't be known here, consent before all, is for the app to add.
package struct Consumption: Hashable, Sendable {
  /// Whether it granted at least once, so that it was delivered; nil of a consumable, which the app delivers.
  package var isDelivered: Bool?
  /// The checks of what it grants that were allowed since its purchase.
  package var checks: CheckCount
  /// The begin of the hour of the last one; nil if there was none.
  package var lastUsed: Moment?
  /// Whether its period is over.
  package var isOver: Bool
  /// The share of its period that passed, in thousandths of a per cent, 0 while nothing was used; nil without a period.
  package var percentage: Int64?
  /// When the customer first bought something that is on record.
  package var customerSince: Moment?
  /// What the customer paid, and got back, as far as Apple named prices.
  package var purchased = Amounts()
  package var refunded = Amounts()
  /// How many refunds the customer got, those without a price included.
  package var refunds = 0
  /// How many purchases and refunds have no price, so that the amounts are too small.
  package var withoutPrice = 0

  /// Apple's `accountTenure`, from 1 to 7; 0 where nothing tells the age.
  package func accountTenure(at now: Moment) -> Int {
    guard let customerSince else { return 0 }
    let days = now.milliseconds(since: customerSince) / 86_400_000
    return [3, 10, 30, 90, 180, 365].firstIndex { days < $0 }.map { $0 + 1 } ?? 7
  }

  /// Apple's `consumptionStatus`: 1 not consumed, 2 partly, 3 fully; 0 of a consumable.
  package var status: Int {
    guard isDelivered != nil else { return 0 }
    if checks.checks == 0 { return 1 }
    return isOver ? 3 : 2
  }

  /// Apple's class of a sum in US dollars, 1 to 7; nil where other currencies or missing prices leave it open.
  package func dollarClass(of amounts: Amounts) -> Int? {
    guard withoutPrice == 0, amounts.byCurrency.keys.allSatisfy({ $0 == "USD" }) else { return nil }
    let milliunits = amounts.byCurrency["USD"] ?? 0
    if milliunits == 0 { return 1 }
    return [50_000, 100_000, 500_000, 1_000_000, 2_000_000].firstIndex { milliunits < $0 }.map { $0 + 2 } ?? 7
  }
}

extension Ledger {
  /// What is known of a purchase that a customer holds.
  package func consumption(of number: RecordNumber, by customer: CustomerID, at now: Moment, _ usage: some UsageReading)
    -> Consumption
  {
    let transaction = records[number].transaction
    let access = access(by: number)
    var count = CheckCount()
    var lastUsed: Moment?
    for entitlement in catalog.entitlements(ofProduct: transaction.productID) {
      let use = usage.usage(of: customer, entitlement)
      count += use.checks(since: transaction.purchaseDate ?? .distantPast)
      lastUsed = [lastUsed, use.lastHour].compactMap(\.self).max()
    }
    var consumption = Consumption(
      isDelivered: effectiveType(of: transaction) == .consumable
        ? nil : access.grants(from: .distantPast, through: now),
      checks: count, lastUsed: count.checks > 0 ? lastUsed : nil, isOver: false)
    if case .timed(let times) = access.kind {
      consumption.isOver = times.end <= now
      consumption.percentage = share(of: transaction, until: times.expires, at: now, isUsed: count.checks > 0)
    }
    addMoney(of: customer, to: &consumption)
    return consumption
  }

  private func share(of transaction: Transaction, until end: Moment, at now: Moment, isUsed: Bool) -> Int64? {
    guard let begin = transaction.purchaseDate, end != .distantFuture, begin < end else { return nil }
    guard isUsed else { return 0 }
    let passed = min(now.milliseconds(since: begin), end.milliseconds(since: begin))
    return Int64(Double(passed) / Double(end.milliseconds(since: begin)) * 100_000)
  }

  /// Adds up what a customer bought and got back in the server's own environment.
  private func addMoney(of customer: CustomerID, to consumption: inout Consumption) {
    for number in holdings(of: customer) {
      let record = records[number]
      guard record.environment == settings.environment, record.transaction.ownership == .purchased else { continue }
      if let date = record.transaction.purchaseDate {
        consumption.customerSince = min(consumption.customerSince ?? date, date)
      }
      if record.transaction.priceMilliunits == nil || record.transaction.currency == nil { consumption.withoutPrice += 1 }
      consumption.purchased.add(record.transaction.priceMilliunits, of: record.transaction)
      guard record.refundClass == .refund else { continue }
      consumption.refunds += 1
      consumption.refunded.add(record.transaction.refundedMilliunits, of: record.transaction)
    }
  }
}
