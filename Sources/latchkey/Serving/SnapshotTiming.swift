import Entitlements
import Storage

/// When a server takes snapshots by itself.
struct SnapshotTiming {
  /// The bytes in the journal that make one due; 0: none do.
  let afterBytes: UInt64
  /// The seconds after which one is due; 0: never.
  let everySeconds: Int64

  static let options = [afterBytesOption, everyOption]
  /// The options of a server that takes none by itself.
  static let neverWords = ["\(afterBytesOption.name)=0", "\(everyOption.name)=0"]

  private static let afterBytesOption = Option(
    "--snapshot-after-bytes", "BYTES",
    "how much in the journal since the newest snapshot makes another one due: 1000000, 64MiB, 1GiB; 0: none is",
    default: "256MiB")
  private static let everyOption = Option(
    "--snapshot-every", "DURATION",
    "how long after the newest snapshot another one is due, if anything was recorded: 90s, 30m, "
      + "1h; 0: never",
    default: "1h")

  /// Reads the timing from the options of `serve`.
  init(_ arguments: Arguments) throws(UsageError) {
    afterBytes =
      try arguments.value(SnapshotTiming.afterBytesOption, expecting: "a number of bytes such as 1000000, 64MiB or 1GiB") {
        SnapshotTiming.bytes($0)
      } ?? SnapshotSchedule.defaultBytes
    everySeconds =
      try arguments.value(SnapshotTiming.everyOption, expecting: "0, or a duration from one second on such as 90s, 30m or 1h") {
        SnapshotTiming.seconds($0)
      } ?? SnapshotSchedule.defaultSeconds
  }

  /// Reads a duration in whole seconds; nil for anything else, and for less than one that isn't zero.
  private static func seconds(_ text: String) -> Int64? {
    Settings.milliseconds(text).flatMap { $0 == 0 || $0 >= 1_000 ? $0 / 1_000 : nil }
  }

  /// Reads a number of bytes, `KiB`, `MiB` or `GiB`; nil for anything else.
  static func bytes(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let units: [Substring: UInt64] = ["": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]
    guard let count = UInt64(digits), let unit = units[text.dropFirst(digits.count)] else { return nil }
    let (bytes, isOver) = count.multipliedReportingOverflow(by: unit)
    return isOver ? nil : bytes
  }
}
