import CLinux
import Glibc

/// A bell that any thread rings to wake the thread that watches it in an `EventQueue`: an eventfd.
package struct WakeUp: ~Copyable, Sendable {
  /// Readable from the first ring until `clear`.
  package let descriptor: Descriptor

  package init() throws(SystemError) {
    let flags = closeOnExec | nonBlocking
    descriptor = Descriptor(owning: try systemCall("make an event descriptor") { eventfd(0, flags) })
  }

  /// Wakes the watching thread; rings before it wakes count as one.
  package func ring() {
    var one: UInt64 = 1
    // It fails only when 2^64 - 2 rings wait unheard, and then the thread wakes anyway.
    _ = unsafe write(descriptor.rawValue, &one, MemoryLayout<UInt64>.size)
  }

  /// Forgets the rings so far.
  package func clear() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor.rawValue, &count, MemoryLayout<UInt64>.size)
  }
}
