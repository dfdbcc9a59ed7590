/// A table as comma-separated values (RFC 4180): a header, then rows of as many fields.
struct CSVTable {
  let columns: [String]
  private(set) var rows: [[String]] = []

  init(columns: [String]) { self.columns = columns }

  /// Adds a row, whose missing last fields are empty.
  mutating func add(_ fields: String...) {
    precondition(fields.count <= columns.count, "a row has no more fields than there are columns")
    rows.append(fields + [String](repeating: "", count: columns.count - fields.count))
  }

  /// The table without the last line break. Lines end in CR and LF; a field with a comma, a quote or a line break is quoted.
  var text: String {
    ([columns] + rows).map { $0.map(CSVTable.quoted).joined(separator: ",") }.joined(separator: "\r\n") + "\r"
  }

  static func quoted(_ field: String) -> String {
    let needsQuotes = field.utf8.contains { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }
    return needsQuotes ? "\"\(field.replacing("\"", with: "\"\""))\"" : field
  }
}
