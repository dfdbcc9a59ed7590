/// What every input's ids and moments must be. Each check throws a refusal that names the field.
enum FieldCheck {
  /// Refuses an id that is empty or over 128 bytes.
  static func check(_ id: Identifier, named field: String) throws(Refusal) {
    if !id.isAcceptable { try check(idOf: id.byteCount, named: field) }
  }

  /// Refuses an id of so many bytes, as if it were there.
  static func check(idOf count: Int, named field: String) throws(Refusal) {
    if count == 0 { throw .invalid(field: field, problem: "is missing or empty") }
    guard count <= Identifier.byteLimit else {
      throw .invalid(field: field, problem: "an id has at most \(Identifier.byteLimit) bytes, this one has \(count)")
    }
  }

  /// Refuses a moment outside the years 1970 to 9999.
  static func check(_ moment: Moment, named field: String) throws(Refusal) {
    guard Moment.accepted.contains(moment) else {
      throw .invalid(field: field, problem: "\(moment.milliseconds) ms is outside the years 1970 to 9999")
    }
  }
}
