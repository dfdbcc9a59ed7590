import Entitlements
import Testing

@testable import latchkey

/// The parser of command lines, on a command that has every kind of option.
struct ArgumentsTests {
  private static let text = Option("--text", "TEXT", "a text", default: "standard")
  private static let bare = Option("--bare", "TEXT", "a text without a default")
  private static let list = Option("--list", "ITEM", "an item", isRepeatable: true)
  private static let flag = Option(flag: "--flag", "a flag")
  private static let command = Command(
    name: "sample", summary: "does nothing",
    operands: [Operand(name: "FIRST", meaning: "the first"), Operand(name: "SECOND", meaning: "the second", isRequired: false)],
    options: [text, bare, list, flag], example: "latchkey sample", action: .blocking { _ in .success })

  private func parse(_ words: [String]) throws -> Arguments? { try Arguments(parsing: words[...], of: Self.command) }

  @Test(
    "options may stand anywhere, with their value behind them or behind an equals sign",
    arguments: [
      ["one", "two", "--text", "new", "--flag"], ["--text=new", "one", "--flag", "two"],
      ["--flag", "--text=new", "--", "one", "two"],
    ])
  func optionsStandAnywhere(words: [String]) throws {
    let arguments = try #require(try parse(words))
    #expect(arguments.words == ["one", "two"])
    #expect(arguments.text(Self.text) == "new")
    #expect(arguments.has(Self.flag))
  }

  @Test("what isn't given has its default") func defaults() throws {
    let arguments = try #require(try parse(["one"]))
    #expect(arguments.text(Self.text) == "standard")
    #expect(arguments.text(Self.bare) == nil)
    #expect(arguments.texts(Self.list).isEmpty)
    #expect(!arguments.has(Self.flag))
  }

  @Test("a repeatable option keeps all its values in order") func repeated() throws {
    #expect(try #require(try parse(["one", "--list", "b", "--list=a=c"])).texts(Self.list) == ["b", "a=c"])
  }

  @Test("behind two dashes, and as a lone dash, a word is an operand") func operandsWithDashes() throws {
    #expect(try #require(try parse(["--", "--flag", "--help"])).words == ["--flag", "--help"])
    #expect(try #require(try parse(["-"])).words == ["-"])
  }

  @Test(
    "help is asked for anywhere before two dashes", arguments: [["--help"], ["one", "-h"], ["--flag", "--help", "x", "y", "z"]])
  func help(words: [String]) throws {
    #expect(try parse(words) == nil)
  }

  @Test(
    "a wrong command line is refused with what is wrong",
    arguments: [
      ([], "FIRST is missing: the first"),
      (["one", "two", "three"], "unexpected word three"),
      (["one", "--nothing"], "unknown option --nothing"),
      (["one", "--nothing=1"], "unknown option --nothing"),
      (["one", "-x"], "unknown option -x"),
      (["one", "--text"], "--text needs a value: --text TEXT"),
      (["one", "--text", "a", "--text=b"], "--text stands twice"),
      (["one", "--flag", "--flag"], "--flag stands twice"),
      (["one", "--flag=yes"], "--flag takes no value"),
    ])
  func wrongUsage(words: [String], message: String) {
    #expect(throws: UsageError(message)) { try parse(words) }
  }

  @Test("a value that can't be converted is refused with what was expected") func conversion() throws {
    let arguments = try #require(try parse(["one", "--text", "many"]))
    #expect(throws: UsageError("--text: expected a number, found many")) {
      try arguments.value(Self.text, expecting: "a number") { Int($0) }
    }
  }

  @Test(
    "durations have a unit, or count milliseconds",
    arguments: [
      ("0", 0), ("250", 250), ("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("1h", 3_600_000), ("", nil), ("s", nil),
      ("-1s", nil),
      ("1.5s", nil), ("5x", nil), ("5 s", nil), ("9999999999999999h", nil),
    ] as [(String, Int64?)])
  func durations(text: String, milliseconds: Int64?) {
    #expect(Settings.milliseconds(text) == milliseconds)
  }

  @Test(
    "bytes have a unit, or count themselves",
    arguments: [
      ("0", 0), ("1000", 1_000), ("2KiB", 2_048), ("64MiB", 67_108_864), ("1GiB", 1_073_741_824), ("", nil), ("MiB", nil),
      ("-1", nil), ("1.5GiB", nil), ("1MB", nil), ("17179869184GiB", nil), ("17179869183GiB", 18_446_744_072_635_809_792),
    ] as [(String, UInt64?)])
  func bytes(text: String, bytes: UInt64?) {
    #expect(SnapshotTiming.bytes(text) == bytes)
  }

  @Test(
    "how often snapshots are taken is said in whole seconds, or not at all",
    arguments: [("0", 0), ("1s", 1), ("90s", 90), ("1h", 3_600), ("500ms", nil), ("x", nil)] as [(String, Int64?)])
  func snapshotTiming(text: String, seconds: Int64?) throws {
    let arguments = try #require(try Arguments(parsing: ["--snapshot-every", text], of: .serve))
    #expect((try? SnapshotTiming(arguments))?.everySeconds == seconds)
  }

  @Test("settings survive the way through the options of serve") func settingsRoundTrip() throws {
    var settings = Settings()
    settings.environment = .sandbox
    settings.transferPolicy = .share
    settings.customerFromAppAccountToken = true
    settings.clockSkewMilliseconds = 1_234
    settings.bundleID = "com.example.app"
    settings.sandboxCustomers = ["review-*", "=odd --one"]
    let arguments = try #require(try Arguments(parsing: settings.words[...], of: .serve))
    #expect(try Settings(arguments) == settings)
  }

  @Test(
    "money is shown in units with two or three digits",
    arguments: [(9_990, "9.99"), (1_995, "1.995"), (0, "0.00"), (-500, "-0.50"), (300_000, "300.00")] as [(Int64, String)])
  func money(milliunits: Int64, text: String) {
    #expect(milliunits.inUnits == text)
  }
}
