import JSON
import Testing

@Suite("A reader of a JSON value")
struct JSONReaderTests {
  private let root: JSONReader

  init() throws {
    root = try JSONDocument(
      parsing: """
        {
          "data": {
            "name": "x",
            "when": "soon",
            "absent": null,
            "list": [ {}, { "flag": 1 } ]
          }
        }
        """
    ).root
  }

  private func description(_ read: () throws -> Void) -> String? {
    #expect(throws: JSONError.self, performing: read)?.description
  }

  @Test("names the path, the line and what it found of a wrong type")
  func namesThePath() throws {
    let data = try root.required("data")
    #expect(
      description { _ = try data.required("when").integer("an integer of milliseconds") }
        == "line 4, column 13: data.when: expected an integer of milliseconds, found a string")
    #expect(
      description { _ = try data.required("list").elements()[1].required("flag").boolean() }
        == "line 6, column 29: data.list[1].flag: expected true or false, found an integer")
    #expect(
      description { _ = try root.required("data").string() } == "line 2, column 11: data: expected a string, found an object")
    #expect(description { _ = try root.elements() } == "line 1, column 1: expected an array, found an object")
    #expect(
      description { _ = try data.required("name").optional("x") }
        == "line 3, column 13: data.name: expected an object, found a string")
  }

  @Test("takes null for absent, and names what is missing")
  func namesTheMissing() throws {
    let data = try root.required("data")
    #expect(try data.optional("absent") == nil)
    #expect(description { _ = try data.required("absent") } == "line 2, column 11: data.absent: missing")
    #expect(description { _ = try root.required("other") } == "line 1, column 1: other: missing")
  }

  @Test("refuses unknown keys by name at their own line")
  func refusesUnknownKeys() throws {
    let data = try root.required("data")
    #expect(throws: Never.self) { try data.refuseKeys(otherThan: ["name", "when", "absent", "list"]) }
    #expect(
      description { try data.refuseKeys(otherThan: ["name", "absent", "list"]) }
        == #"line 4, column 5: data: unknown key "when"; known are name, absent, list"#)
  }

  @Test("counts lines from the one it is told, and begins paths with the name it is told")
  func beginsElsewhere() {
    #expect(
      description { _ = try JSONDocument(parsing: Array("\n[".utf8), firstLine: 41).root }
        == "line 42, column 2: expected a value, found the end")
    #expect(
      description { _ = try JSONDocument(parsing: "{}", name: "renewalInfo").root.required("a") }
        == "line 1, column 1: renewalInfo.a: missing")
  }

  @Test(
    "takes a whole number for an integer, however it is written, and never rounds",
    arguments: [
      ("1698148900000.0", 1_698_148_900_000), ("1.6981489e12", 1_698_148_900_000), ("-25E-1", nil), ("-250e-1", -25),
      ("0.0e99999999999999999999", 0), ("1e99999999999999999999", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
      ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775808", nil), ("-9223372036854775808.0", .min), ("0.5", nil),
      ("1e-999999", nil), ("1000000000000000000000000e-24", 1),
    ] as [(String, Int64?)])
  func takesWholeNumbers(text: String, integer: Int64?) {
    #expect((try? JSONDocument(parsing: text).root.integer()) == integer)
  }

  @Test("cuts a long text in a message")
  func cutsLongText() {
    #expect(JSONReader.quoted("a\n\"b\"") == #""a\n\"b\"""#)
    #expect(JSONReader.quoted(String(repeating: "é", count: 64)) == "\"" + String(repeating: "é", count: 64) + "\"")
    #expect(JSONReader.quoted(String(repeating: "é", count: 65)) == "\"" + String(repeating: "é", count: 64) + "…\"")
  }
}
