/// A request as bytes into which only what differs from call to call is written: customers, products, a transaction, the id of the call.
package struct PreparedRequest: Sendable {
  /// The request with what was written into it last.
  package private(set) var bytes: [UInt8]
  private let customers: [Int]
  private let products: [Int]
  private let transactions: [Int]
  /// Where the id of the call stands, in four bytes, the highest first; nil where answers come in the order of the calls.
  private let idOffset: Int?

  /// What stands in a request for a customer's id, a product, and a transaction's id until they are written.
  package enum Placeholder {
    package static let customer = String(repeating: "c", count: CustomerID.byteCount)
    package static let product = String(repeating: "p", count: Population.Product.byteCount)
    package static let transaction = String(repeating: "t", count: TransactionID.byteCount)
  }

  /// Takes a request with placeholders.
  package init(_ bytes: [UInt8], idOffset: Int?) {
    (self.bytes, self.idOffset) = (bytes, idOffset)
    customers = PreparedRequest.places(of: Placeholder.customer, in: bytes)
    products = PreparedRequest.places(of: Placeholder.product, in: bytes)
    transactions = PreparedRequest.places(of: Placeholder.transaction, in: bytes)
  }

  /// How many customers the request is about.
  package var customerCount: Int { customers.count }

  /// Writes the id of the call that the answer will name.
  package mutating func write(id: UInt32) {
    guard let idOffset else { return }
    for index in 0..<4 { bytes[idOffset + index] = UInt8(truncatingIfNeeded: id >> UInt32(24 - 8 * index)) }
  }

  /// Writes a customer, and what it is asked about, where the request has a place for that.
  package mutating func write(_ customer: CustomerID, _ product: Population.Product, at place: Int) {
    customer.write(to: &bytes, at: customers[place])
    if place < products.count { write(product.bytes, at: products[place]) }
  }

  /// Writes a transaction's id where the request has a place for that.
  package mutating func write(transaction: TransactionID) {
    for place in transactions { transaction.write(to: &bytes, at: place) }
  }

  private mutating func write(_ text: [UInt8], at offset: Int) {
    for index in text.indices { bytes[offset + index] = text[index] }
  }

  private static func places(of text: String, in bytes: [UInt8]) -> [Int] {
    let wanted = Array(text.utf8)
    var places: [Int] = []
    var offset = 0
    while offset + wanted.count <= bytes.count {
      if bytes[offset..<offset + wanted.count].elementsEqual(wanted) {
        places.append(offset)
        offset += wanted.count
      } else {
        offset += 1
      }
    }
    return places
  }
}
