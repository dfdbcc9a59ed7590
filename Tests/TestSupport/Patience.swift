import Foundation

/// How long a test waits for something that comes at once on a quiet machine. It hangs then, and fails.
package enum Patience {
  /// Half of the time that `Tests/run` gives all tests.
  package static let milliseconds: Int32 = {
    let minutes = ProcessInfo.processInfo.environment["LATCHKEY_TEST_MINUTES"].flatMap(Int32.init) ?? 10
    return minutes * 60_000 / 2
  }()

  /// The same in nanoseconds.
  package static let nanoseconds = UInt64(milliseconds) * 1_000_000
}
