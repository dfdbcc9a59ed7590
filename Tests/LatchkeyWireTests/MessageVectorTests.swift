import Foundation
import LatchkeyWire
import Protobuf
import Testing

/// One message of `schema/vectors/messages.json`.
struct MessageVector: Decodable, CustomTestStringConvertible {
  var name: String
  var message: String
  var hex: String
  var canonical: Bool?
  var fields: PlainValue?
  var error: String?

  var testDescription: String { name }
}

@Suite struct `Every vector of a message` {
  @Test(arguments: try Schema.vectors("messages.json") as [MessageVector])
  func `decodes to its fields, or is refused for its reason`(_ vector: MessageVector) throws {
    try check(Schema.type(vector.message), vector)
  }

  private func check<Value: Message>(_ type: Value.Type, _ vector: MessageVector) throws {
    if let error = vector.error {
      let thrown = #expect(throws: MalformedMessage.self) { try Value(decoding: bytes(vector.hex)) }
      #expect(thrown.map(reason) == error)
    } else {
      let message = try Value(decoding: bytes(vector.hex))
      #expect(PlainValue(message) == vector.fields)
      if vector.canonical == true { #expect(hexadecimal(message.encoded()) == vector.hex) }
    }
  }

  private func reason(_ error: MalformedMessage) -> String {
    switch error {
    case .truncated: "truncated"
    case .varintTooLong: "varint too long"
    case .lengthBeyondEnd: "length beyond end"
    case .fieldNumberZero: "field number zero"
    case .unknownWireType: "unknown wire type"
    case .invalidUTF8: "invalid UTF-8"
    case .unmatchedGroup: "unmatched group"
    case .nestedTooDeeply: "nested too deeply"
    case .tooManyElements: "too many elements"
    }
  }
}
