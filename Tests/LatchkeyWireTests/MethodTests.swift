import Foundation
import LatchkeyWire
import Protobuf
import Testing

/// One request frame of `schema/vectors/calls.json`, and how a server answers it.
struct CallVector: Decodable, CustomTestStringConvertible {
  var name: String
  var hex: String
  var status: String
  var method: String?

  var testDescription: String { name }
}

@Suite struct `Methods` {
  @Test func `have the numbers that stand in the schema`() throws {
    let schema = try String(contentsOf: Schema.root.appending(path: "schema/latchkey.proto"), encoding: .utf8)
    let written = schema.matches(of: /rpc (\w+)\(\w+\) returns \((stream )?\w+\);\s+\/\/ (\d+)/)
    let numbered = Method.allCases.filter { $0.number != nil }
    #expect(written.map { String($0.1) } == numbered.map(\.name))
    #expect(written.map { $0.2 != nil } == numbered.map(\.isStreaming))
    #expect(written.map { UInt32($0.3) } == numbered.map(\.number))
  }

  @Test(arguments: Method.allCases) func `are found by number and by name`(_ method: Method) {
    #expect(method.number.map { Method(number: $0) } ?? method == method)
    #expect(Method(service: method.service, name: method.name) == method)
  }

  @Test(arguments: [0, 17, 23, UInt32.max]) func `are not found by a number that none has`(_ number: UInt32) {
    #expect(Method(number: number) == nil)
  }

  @Test(arguments: try Schema.vectors("calls.json") as [CallVector])
  func `are called, or refused, as the vector says`(_ vector: CallVector) throws {
    let (status, method) = answer(bytes(vector.hex))
    #expect(status.name == vector.status)
    #expect(method?.name == vector.method)
  }

  /// Answers a request frame as far as the wire decides.
  private func answer(_ frame: [UInt8]) -> (StatusCode, Method?) {
    let data = unsafe frame.span.bytes.extracting(FrameHeader.byteCount...)
    guard let envelope = try? RequestEnvelope(parsing: data) else { return (.invalidArgument, nil) }
    guard let method = envelope.calledMethod(in: data) else { return (.unimplemented, nil) }
    guard method == .checkAccess else { return (.ok, method) }
    guard let query = try? CheckAccessQuery(parsing: data.extracting(envelope.payload)),
      1...Limits.idBytes ~= query.customerID.count
    else { return (.invalidArgument, method) }
    return (.ok, method)
  }
}
