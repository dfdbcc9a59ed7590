/// Who ordered something about a customer, why, and when: never without a name and a reason.
package struct OperatorOrder: Hashable, Sendable {
  /// Whoever ordered it, in the words of the operator's own.
  package var by: String
  package var note: String
  package var at: Moment

  /// The most bytes of a name, and of a reason.
  package static let nameLimit = 128
  package static let noteLimit = 1_024

  package init(by: String, note: String, at: Moment) {
    self.by = by
    self.note = note
    self.at = at
  }

  /// Refuses an order without a name or a reason, one of more bytes than the limits, and a moment outside the years 1970 to 9999.
  package func validate() throws(Refusal) {
    try OperatorOrder.check(by, named: "by", limit: OperatorOrder.nameLimit)
    try OperatorOrder.check(note, named: "note", limit: OperatorOrder.noteLimit)
    guard Moment.accepted.contains(at) else { throw .invalid(field: "at", problem: "is outside the years 1970 to 9999") }
  }

  private static func check(_ text: String, named field: String, limit: Int) throws(Refusal) {
    let count = text.utf8.count
    if count == 0 { throw .invalid(field: field, problem: "is missing or empty") }
    if count > limit { throw .invalid(field: field, problem: "has \(count) bytes, and at most \(limit) are taken") }
  }

  /// Refuses a customer's id that is empty or over 128 bytes.
  static func check(_ customer: CustomerID, named field: String) throws(Refusal) {
    try check(customer.text, named: field, limit: Identifier.byteLimit)
  }
}

/// An operator's order to forget a customer.
package struct Erasure: Hashable, Sendable {
  package var customer: CustomerID
  package var order: OperatorOrder

  package init(customer: CustomerID, order: OperatorOrder) {
    self.customer = customer
    self.order = order
  }

  /// Refuses what can never be right. Errors name the field.
  package func validate() throws(Refusal) {
    try OperatorOrder.check(customer, named: "customer_id")
    try order.validate()
  }
}

/// An operator's order to give all that one customer holds to another.
package struct CustomerMove: Hashable, Sendable {
  package var from: CustomerID
  package var to: CustomerID
  package var order: OperatorOrder

  package init(from: CustomerID, to: CustomerID, order: OperatorOrder) {
    self.from = from
    self.to = to
    self.order = order
  }

  /// Refuses what can never be right. Errors name the field.
  package func validate() throws(Refusal) {
    try OperatorOrder.check(from, named: "from_customer_id")
    try OperatorOrder.check(to, named: "to_customer_id")
    if from == to { throw .invalid(field: "to_customer_id", problem: "is the customer that everything would be taken from") }
    try order.validate()
  }
}
