import Entitlements
import JSON

/// A customer's full history as Apple's server API lists it: an array of decoded transactions.
package struct AppleHistory: Sendable {
  /// A row for each transaction, in Apple's order, in the customer's name and from `serverAPI`.
  package internal(set) var recording: Recording
  /// As `AppleDocument.warnings`, at most one for each transaction.
  package internal(set) var warnings: [String] = []

  /// The most bytes of a history, and the most transactions in it.
  package static let sizeLimit = 16 << 20
  package static let rowLimit = 10_000

  /// Reads a JSON array of decoded transactions.
  ///
  /// - Throws: `JSONError` with the path (such as `[3].purchaseDate`) and line of what is wrong.
  package init(parsing bytes: [UInt8], customer: CustomerID, receivedAt: Moment) throws(JSONError) {
    let root = try JSONDocument(parsing: bytes, sizeLimit: AppleHistory.sizeLimit).root
    let elements = try root.elements()
    guard elements.count <= AppleHistory.rowLimit else {
      throw root.error("expected at most \(AppleHistory.rowLimit) transactions, found \(elements.count)")
    }
    recording = Recording(customer: customer, source: .serverAPI, receivedAt: receivedAt)
    for element in elements {
      let row = try Recording.Row(transaction: element.decodedObject(), in: Envelope(), warnings: &warnings)
      recording.rows.append(row)
    }
  }

  /// Reads a history from text; see the initialiser for bytes.
  package init(parsing text: String, customer: CustomerID, receivedAt: Moment) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), customer: customer, receivedAt: receivedAt)
  }
}
