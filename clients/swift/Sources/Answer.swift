import LatchkeyWire
import Protobuf

/// Reads what came back: the envelope, and the message inside it.
enum Answer {
  /// Opens a response envelope; throws the status that it carries.
  static func payload(_ data: [UInt8]) throws(LatchkeyError) -> [UInt8] {
    let response: Response = try message(data)
    if let status = response.status, status.code != .ok { throw LatchkeyError(status) }
    return response.payload
  }

  /// Decodes a message of the server.
  static func message<Reply: Message>(_ bytes: [UInt8]) throws(LatchkeyError) -> Reply {
    do throws(MalformedMessage) {
      return try Reply(decoding: bytes)
    } catch {
      throw .breach("an answer that is no \(Reply.self) (\(error))")
    }
  }
}
