import Entitlements
import LatchkeyWire

/// A day in milliseconds.
let day: Int64 = 86_400_000

extension LatchkeyWire.Transaction {
  /// A subscription that began ten days ago and ends in twenty, signed when it began.
  static func subscription(_ id: String, product: String = "monthly") -> Self {
    .with {
      $0.transactionID = id
      $0.productID = product
      $0.type = .autoRenewableSubscription
      $0.purchaseDateMilliseconds = RunningService.now - 10 * day
      $0.expiresDateMilliseconds = RunningService.now + 20 * day
      $0.signedDateMilliseconds = RunningService.now - 10 * day
    }
  }

  /// The same as a member of the family has it.
  static func shared(_ id: String, product: String = "monthly") -> Self {
    var transaction = subscription(id, product: product)
    transaction.ownership = .familyShared
    return transaction
  }

  /// A lasting purchase of ten days ago.
  static func lasting(_ id: String, product: String) -> Self {
    .with {
      $0.transactionID = id
      $0.productID = product
      $0.type = .nonConsumable
      $0.purchaseDateMilliseconds = RunningService.now - 10 * day
      $0.signedDateMilliseconds = RunningService.now - 10 * day
    }
  }

  /// The version of a day ago that says it was refunded then.
  var refunded: Self {
    var version = self
    version.signedDateMilliseconds = RunningService.now - day
    version.revocationDateMilliseconds = RunningService.now - day
    version.revocationReason = .other
    return version
  }
}

extension Catalog {
  /// One product that grants "pro".
  static let pro = Catalog(products: ["monthly": Product(type: .autoRenewableSubscription, entitlements: ["pro"])])
}

/// A text of so many bytes.
func text(_ byteCount: Int) -> String { String(repeating: "x", count: byteCount) }
