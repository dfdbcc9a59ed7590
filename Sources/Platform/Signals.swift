import CLinux
import Glibc

/// The signals that ask a server for something, delivered to ordinary code on an ordinary thread.
package enum Signals {
  /// Turns signals into calls of the body, one at a time, on a thread of their own until the process ends.
  ///
  /// Call it before any other thread starts: a thread inherits the mask that holds the signals back from their default.
  package static func deliver(_ numbers: [Int32], to body: @escaping @Sendable (Int32) -> Void) throws(SystemError) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    let blocked = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    if blocked != 0 { throw SystemError(errno: blocked, operation: "hold back signals") }
    let opened = try systemCall("make a signal descriptor") { unsafe signalfd(-1, &set, closeOnExec) }
    let reader = SignalReader(descriptor: Descriptor(owning: opened))
    _ = try Thread(named: "signals") { while let number = reader.next() { body(number) } }
  }

  /// Makes a write to a connection that is gone an error instead of the end of the process.
  package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}

/// The open end at which signals arrive.
private final class SignalReader: Sendable {
  private let descriptor: Descriptor

  init(descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Waits for the next signal and returns its number; nil when the descriptor fails.
  func next() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    let count = try? systemCall("wait for a signal") { unsafe read(descriptor.rawValue, &information, size) }
    return count == size ? Int32(information.ssi_signo) : nil
  }
}
