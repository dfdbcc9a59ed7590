import Glibc
import Platform

/// The two streams of a command line: answers go to standard output, what is said about them to standard error.
enum Console {
  /// Prints an answer.
  static func say(_ line: String) { print(line) }

  /// Prints an answer that somebody waits for, so that it may not rest in a buffer.
  static func sayAtOnce(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Prints an error, a warning or progress, in one write.
  static func complain(_ line: String) {
    // If standard error is gone there is nobody to tell.
    _ = unsafe Array((line + "\n").utf8).withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Prints a line of a server's log, with the time.
  static func log(_ line: String) { complain("\(Time(milliseconds: Clock.wallMilliseconds()).iso8601) \(line)") }
}
