/// A JSON text that was read in full.
package struct JSONDocument: Sendable {
  /// The outermost value.
  package let root: JSONReader

  /// The most bytes of a text, unless the caller says otherwise: 1 MiB.
  package static let defaultSizeLimit = 1 << 20
  /// The most arrays and objects inside one another.
  package static let depthLimit = 64

  /// Reads one JSON value (RFC 8259) with nothing but white space around it.
  ///
  /// - Parameters:
  ///   - sizeLimit: the most bytes that are accepted.
  ///   - firstLine: the number of the first line, where the bytes are a piece of a longer file.
  ///   - name: what an error's path begins with.
  /// - Throws: `JSONError` for a text that is too large, too deep or malformed, for invalid UTF-8, an unpaired surrogate, and a
  ///   key that an object has twice.
  package init(
    parsing bytes: [UInt8], sizeLimit: Int = JSONDocument.defaultSizeLimit, firstLine: Int = 1, name: String = ""
  ) throws(JSONError) {
    let source = JSONSource(bytes: bytes, firstLine: firstLine)
    guard bytes.count <= sizeLimit else {
      throw JSONError(
        message: "the document has \(bytes.count) bytes, more than the limit of \(sizeLimit)", path: name, line: firstLine,
        column: 1)
    }
    var parser = JSONParser(source: source)
    root = JSONReader(value: try parser.document(), path: name, source: source)
  }

  /// Reads a JSON value from text; see `init(parsing:sizeLimit:firstLine:name:)` for bytes.
  package init(parsing text: String, sizeLimit: Int = JSONDocument.defaultSizeLimit, name: String = "") throws(JSONError) {
    try self.init(parsing: Array(text.utf8), sizeLimit: sizeLimit, name: name)
  }
}
