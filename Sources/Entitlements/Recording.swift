/// The id of an account in the app's own backend.
package typealias CustomerID = Identifier

/// How a recording reached Latchkey.
package enum Source: String, Sendable, CaseIterable {
  case serverNotification = "server_notification"
  case device
  case serverAPI = "server_api"
  case `import`
  case `operator`
}

/// One thing to record, as the caller gave it and Apple signed it, in normal form: what the journal holds.
///
/// A version 2 notification or a bare transaction has at most one row; a version 1 notification has one for each row of its
/// receipt. With neither a row nor a renewal info it is ignored.
package struct Recording: Hashable, Sendable {
  /// The customer that the caller names; nil where it leaves that to the ledger.
  package var customer: CustomerID?
  /// What Apple calls the notification that it came in; nil where it came in none.
  package var notification: Notification?
  package var rows: [Row]
  package var renewalInfos: [Renewal]
  /// Original transaction ids of the purchases behind a shared transaction.
  package var sharedFrom: [Identifier]
  package var source: Source
  package var receivedAt: Moment

  package init(
    customer: CustomerID? = nil, notification: Notification? = nil, rows: [Row] = [], renewalInfos: [Renewal] = [],
    sharedFrom: [Identifier] = [], source: Source = .serverNotification, receivedAt: Moment
  ) {
    self.customer = customer
    self.notification = notification
    self.rows = rows
    self.renewalInfos = renewalInfos
    self.sharedFrom = sharedFrom
    self.source = source
    self.receivedAt = receivedAt
  }

  /// The identity of a notification: kept so that the journal holds what was received. No rule uses it, so that a notification
  /// that is sent again under another one says nothing new.
  package struct Notification: Hashable, Sendable {
    /// Apple's words, known or not. Version 1 has a type and nothing else.
    package var type: String?
    package var subtype: String?
    package var uuid: String?
    package var signedDate: Moment?

    package init(type: String? = nil, subtype: String? = nil, uuid: String? = nil, signedDate: Moment? = nil) {
      self.type = type
      self.subtype = subtype
      self.uuid = uuid
      self.signedDate = signedDate
    }
  }

  /// One version of a transaction, with what came around it.
  package struct Row: Hashable, Sendable {
    /// Shared, since a row is handed on from the request to the ledger, and its transaction is most of it.
    private var shared: SharedValue<Transaction>
    /// The transaction's, else its notification's; nil where neither named one.
    package var bundleID: String?
    /// The moment of a version 2 REVOKE whose transaction carries no revocation date: the notification's signed date, else the
    /// transaction's.
    package var revokeMark: Moment?
    /// A JSON object of Apple's fields that no rule uses yet, so that the journal holds what was received.
    package var otherFields: String?

    package var transaction: Transaction {
      _read { yield shared.value }
      _modify { yield &shared.value }
    }

    package init(
      transaction: consuming Transaction, bundleID: String? = nil, revokeMark: Moment? = nil, otherFields: String? = nil
    ) {
      shared = SharedValue(transaction)
      self.bundleID = bundleID
      self.revokeMark = revokeMark
      self.otherFields = otherFields
    }
  }

  /// A renewal info, with the app it belongs to.
  package struct Renewal: Hashable, Sendable {
    package var info: RenewalInfo
    package var bundleID: String?
    /// As a row's.
    package var otherFields: String?

    package init(info: RenewalInfo, bundleID: String? = nil, otherFields: String? = nil) {
      self.info = info
      self.bundleID = bundleID
      self.otherFields = otherFields
    }
  }
}

// MARK: - Normal form

extension Recording {
  /// Makes it the recording as it comes back from the journal: there and on the wire what is empty, and some moments of 0, stand
  /// for none.
  package mutating func bringToNormalForm() {
    removeIfEmpty(&customer)
    notification?.bringToNormalForm()
    for index in rows.indices { rows[index].bringToNormalForm() }
    for index in renewalInfos.indices { renewalInfos[index].bringToNormalForm() }
  }
}

extension Recording.Notification {
  fileprivate mutating func bringToNormalForm() {
    removeIfEmpty(&type)
    removeIfEmpty(&subtype)
    removeIfEmpty(&uuid)
    if signedDate == Moment(milliseconds: 0) { signedDate = nil }
  }
}

extension Recording.Row {
  fileprivate mutating func bringToNormalForm() {
    if transaction.originalTransactionID.isEmpty { transaction.originalTransactionID = transaction.transactionID }
    if transaction.purchaseDate == Moment(milliseconds: 0) { transaction.purchaseDate = nil }
    removeIfEmpty(&transaction.currency)
    removeIfEmpty(&transaction.appTransactionID)
    removeIfEmpty(&transaction.appAccountToken)
    removeIfEmpty(&bundleID)
    removeIfEmpty(&otherFields)
  }
}

extension Recording.Renewal {
  fileprivate mutating func bringToNormalForm() {
    removeIfEmpty(&info.autoRenewProductID)
    removeIfEmpty(&bundleID)
    removeIfEmpty(&otherFields)
  }
}

private func removeIfEmpty(_ word: inout String?) {
  if word?.isEmpty == true { word = nil }
}

private func removeIfEmpty(_ id: inout Identifier?) {
  if id?.isEmpty == true { id = nil }
}
