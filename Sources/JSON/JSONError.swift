/// Why a JSON text is refused, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected and what was found instead.
  package var message: String
  /// The keys and indices that lead to the value, such as `data.signedTransactionInfo.purchaseDate` or `products[2].type`; empty
  /// for the whole document and for a mistake of syntax.
  package var path: String
  /// Counted from 1.
  package var line: Int
  /// Counted from 1, in Unicode scalars.
  package var column: Int

  package init(message: String, path: String = "", line: Int, column: Int) {
    self.message = message
    self.path = path
    self.line = line
    self.column = column
  }

  package var description: String { "line \(line), column \(column): " + (path.isEmpty ? message : "\(path): \(message)") }
}

/// The text that a tree was read from, kept so that an error can name a line.
struct JSONSource: Sendable {
  let bytes: [UInt8]
  /// The number of the text's first line, where it is a piece of a longer file.
  let firstLine: Int

  /// An error about what stands at an offset.
  func error(_ message: String, path: String = "", at offset: Int) -> JSONError {
    var line = firstLine
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0b1100_0000 != 0b1000_0000 {
        column += 1
      }
    }
    return JSONError(message: message, path: path, line: line, column: column)
  }
}
