import Service
import Storage

/// How watchers are served, as options of `serve`.
extension WatchOptions {
  static let options = [checkpointOption, memoryOption, entriesOption]

  private static let checkpointOption = Option(
    "--watch-checkpoint", "SECONDS", "how long a quiet watcher waits for a position to resume from", default: "5")
  private static let memoryOption = Option(
    "--watch-memory", "MIB",
    "how much memory each of two windows takes: publications of late, and the changes that came of them", default: "64")
  private static let entriesOption = Option(
    "--watch-entries", "COUNT", "how many publications, or groups of changes, a window keeps at most", default: "262144")

  /// Takes the options.
  init(_ arguments: Arguments) throws(UsageError) {
    func number(_ option: Option, _ range: ClosedRange<Int>) throws(UsageError) -> Int? {
      try arguments.value(option, expecting: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
        Int(text).flatMap { range.contains($0) ? $0 : nil }
      }
    }
    self.init()
    if let seconds = try number(WatchOptions.checkpointOption, 1...3_600) { checkpointInterval = .seconds(seconds) }
    if let mebibytes = try number(WatchOptions.memoryOption, 1...65_536) { window.windowBytes = mebibytes << 20 }
    if let count = try number(WatchOptions.entriesOption, 1...100_000_000) { window.windowEntries = count }
  }
}
