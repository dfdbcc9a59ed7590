/// An operator's word on a customer's access: gives an entitlement, or takes back what was given.
package struct Granting: Hashable, Sendable {
  package var customer: CustomerID
  package var entitlement: Identifier
  /// Who says so.
  package var by: String
  /// Why.
  package var note: String
  package var recordedAt: Moment
  package var act: Act

  package enum Act: Hashable, Sendable {
    /// Gives it from a moment until another; nil: never-ending.
    case give(from: Moment, until: Moment?)
    /// Ends, at a moment, every grant of the entitlement that would end later.
    case takeBack(at: Moment)
  }

  package init(customer: CustomerID, entitlement: Identifier, by: String, note: String, recordedAt: Moment, act: Act) {
    self.customer = customer
    self.entitlement = entitlement
    self.by = by
    self.note = note
    self.recordedAt = recordedAt
    self.act = act
  }
}

// MARK: - What can never be right

extension Granting {
  /// The most bytes of who says so, and of why.
  package static let byLimit = 128
  package static let noteLimit = 1_024

  /// Refuses what can never be right: an id that is empty or over 128 bytes, nobody who says so or no reason, a time outside the
  /// years 1970 to 9999, an end that isn't after the beginning. Errors name the field.
  package func validate() throws(Refusal) {
    try FieldCheck.check(customer, named: "customer_id")
    try FieldCheck.check(entitlement, named: "entitlement")
    try check(by, named: "by", limit: Granting.byLimit, what: "who says so")
    try check(note, named: "note", limit: Granting.noteLimit, what: "the reason")
    try FieldCheck.check(recordedAt, named: "recorded_at_ms")
    switch act {
    case .takeBack(let moment): try FieldCheck.check(moment, named: "at_ms")
    case .give(let from, let until):
      try FieldCheck.check(from, named: "from_ms")
      guard let until else { return }
      try FieldCheck.check(until, named: "until_ms")
      guard until > from else {
        throw .invalid(
          field: "until_ms",
          problem: "a grant ends after it begins; this one would end at \(until.iso8601), and begin at \(from.iso8601)")
      }
    }
  }

  /// Refuses a text of nothing but spaces and control characters, and one that is too long.
  private func check(_ text: String, named field: String, limit: Int, what: String) throws(Refusal) {
    guard text.utf8.contains(where: { $0 > UInt8(ascii: " ") }) else {
      throw .invalid(field: field, problem: "is missing: \(what) is kept with every manual grant")
    }
    guard text.utf8.count <= limit else {
      throw .invalid(field: field, problem: "has \(text.utf8.count) bytes, and at most \(limit) are taken")
    }
  }
}
