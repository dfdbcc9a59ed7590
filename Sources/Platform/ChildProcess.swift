import Glibc

/// Another process, which is killed when nothing refers to it any more.
package final class ChildProcess: Sendable {
  package let id: pid_t
  /// Where its standard output is read.
  private let output: Descriptor
  private let status = Guarded<Int32?>(nil)

  /// The executable that this process runs.
  package static let ownExecutable = "/proc/self/exe"

  /// Starts a process.
  /// - Parameters:
  ///   - program: the path of its executable.
  ///   - words: its arguments behind the program's name.
  ///   - environment: its variables, as `NAME=value`; those of this process unless told.
  ///   - input: the file that it reads as its standard input.
  ///   - file: the file that its standard output is written to; without one, `nextLine` reads it.
  ///   - errors: the file that its standard error is appended to.
  package init(
    _ program: String = ChildProcess.ownExecutable, words: [String], environment: [String]? = nil, input: String = "/dev/null",
    outputTo file: String? = nil, errorsTo errors: String
  ) throws(SystemError) {
    var ends: [Int32] = [0, 0]
    // A pair of sockets, since a pipe can't be made close-on-exec in one step here, and another child would inherit it.
    try systemCall("make a pipe") { unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0, &ends) }
    output = Descriptor(owning: ends[0])
    let childEnd = Descriptor(owning: ends[1])
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
    if let file {
      unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, file, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    } else {
      unsafe posix_spawn_file_actions_adddup2(&actions, childEnd.rawValue, STDOUT_FILENO)
    }
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    id = try unsafe ChildProcess.spawn(program, words, environment, &actions)
  }

  deinit {
    end(by: SIGKILL)
  }

  private static func spawn(
    _ program: String, _ words: [String], _ environment: [String]?, _ actions: UnsafePointer<posix_spawn_file_actions_t>
  ) throws(SystemError) -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // Whatever this thread holds back, the child hears all signals.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let name = program == ownExecutable ? "latchkey" : program
    var arguments = unsafe ([name] + words).map { unsafe strdup($0) } + [nil]
    var variables = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var id = pid_t()
    let code =
      if environment == nil {
        unsafe posix_spawn(&id, program, actions, &attributes, &arguments, environ)
      } else {
        unsafe posix_spawn(&id, program, actions, &attributes, &arguments, &variables)
      }
    guard code == 0 else { throw SystemError(errno: code, operation: "start \(program)") }
    return id
  }

  /// Waits for the next line of its standard output; nil where that ends first, or the time is over.
  /// - Parameter milliseconds: how long to wait for each piece of it; for ever unless told.
  package func nextLine(within milliseconds: Int32? = nil) throws(SystemError) -> String? {
    var line: [UInt8] = []
    while line.count < 4_096 {
      var awaited = pollfd(fd: output.rawValue, events: Int16(POLLIN), revents: 0)
      let ready = try systemCall("wait for a process") { unsafe poll(&awaited, 1, milliseconds ?? -1) }
      if ready == 0 { return nil }
      var byte: UInt8 = 0
      let count = try systemCall("read from a process") { unsafe read(output.rawValue, &byte, 1) }
      if count == 0 { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// The processor time of all its threads until now, in nanoseconds; nil once it has ended.
  package func processorNanoseconds() -> UInt64? { Clock.processorNanoseconds(ofProcess: id) }

  /// How much memory it has in use; the most since `forgetPeak`, or since it began. In bytes; nil once it has ended.
  package func residentBytes() -> (now: UInt64, peak: UInt64)? {
    // It is shorter than this, and comes in one read.
    guard let file = try? InputFile("/proc/\(id)/status"), let read = try? file.read(atMost: 1 << 16) else { return nil }
    let status = String(decoding: read, as: UTF8.self)
    func bytes(_ name: String) -> UInt64? {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
      return line?.split { " \t".contains($0) }.dropFirst().first.flatMap { UInt64($0) }.map { $0 << 10 }
    }
    guard let now = bytes("VmRSS:"), let peak = bytes("VmHWM:") else { return nil }
    return (now, peak)
  }

  /// Has the kernel note its greatest use of memory anew (`clear_refs` of proc(5)).
  package func forgetPeak() throws(SystemError) {
    let file = try systemCall("open clear_refs") { unsafe open("/proc/\(id)/clear_refs", O_WRONLY | O_CLOEXEC) }
    let descriptor = Descriptor(owning: file)
    _ = try systemCall("write clear_refs") { unsafe write(descriptor.rawValue, "5", 1) }
  }

  /// Sends a signal; none to a process whose end was waited for.
  package func send(_ signal: Int32) {
    status.withLock { if $0 == nil { kill(id, signal) } }
  }

  /// Sends a signal, and waits for the process to end; gives its exit status, or 128 and the signal that ended it.
  @discardableResult
  package func end(by signal: Int32) -> Int32 {
    send(signal)
    while true { if let status = reap(0) { return status } }
  }

  /// Waits for its end; gives its exit status, or 128 and the signal that ended it. Nil where the time is over before.
  /// - Parameter milliseconds: how long to wait; it is looked at in each of them.
  package func wait(within milliseconds: Int32) -> Int32? {
    for _ in 0..<milliseconds {
      if let status = reap(WNOHANG) { return status }
      usleep(1_000)
    }
    return reap(WNOHANG)
  }

  /// Its status once it has ended, which this waits for unless the option is `WNOHANG` of waitpid(2).
  private func reap(_ options: Int32) -> Int32? {
    status.withLock { known in
      var status: Int32 = 0
      if known == nil, unsafe waitpid(id, &status, options) == id {
        let signal = status & 0x7F
        known = signal == 0 ? status >> 8 & 0xFF : 128 + signal
      }
      return known
    }
  }
}
