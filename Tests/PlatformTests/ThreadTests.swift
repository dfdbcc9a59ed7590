import Glibc
import Testing

@testable import Platform

@Suite struct ThreadTests {
  @Test("Threads that add under a guard lose nothing")
  func guarded() throws {
    let sum = Guarded(0)
    let threads = try (0..<4).map { _ in
      Holder(try Thread(named: "adder") { for _ in 0..<10_000 { sum.withLock { $0 += 1 } } })
    }
    for thread in threads { thread.join() }
    #expect(sum.withLock { $0 } == 40_000)
  }

  @Test("A thread has its name and its nice value")
  func nameAndNice() throws {
    let seen = Guarded(("", Int32(0)))
    let thread = try Thread(named: "a rather long name", nice: 5) {
      let file = try? File("/proc/thread-self/comm", for: .read)
      let name = (try? file?.read(64, at: 0)) ?? []
      seen.withLock { $0 = (String(decoding: name, as: UTF8.self), getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }
    }
    thread.join()
    #expect(seen.withLock { $0.0 } == "a rather long n\n")
    #expect(seen.withLock { $0.1 } == 5)
  }

  @Test("As many threads can run at once as the kernel says that this one has processors to run on")
  func usableProcessors() throws {
    let status = try String(decoding: File("/proc/thread-self/status", for: .read).read(16_384, at: 0), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") })
    let digits = line.dropFirst("Cpus_allowed:".count).compactMap { $0.hexDigitValue }
    #expect(Thread.usableProcessorCount == digits.reduce(0) { $0 + $1.nonzeroBitCount })
  }

  @Test("The processor time of a thread grows with its work, and that of its process with it")
  func processorTime() throws {
    let process = try #require(Clock.processorNanoseconds(ofProcess: getpid()))
    let before = Clock.threadProcessorNanoseconds()
    var number: UInt64 = 1
    for step in 1...1_000_000 as ClosedRange<UInt64> { number = (number ^ step) &* 0xBF58_476D_1CE4_E5B9 }
    #expect(number != 0)
    let spent = Clock.threadProcessorNanoseconds() - before
    #expect(spent > 0)
    #expect(try #require(Clock.processorNanoseconds(ofProcess: getpid())) >= process + spent)
    for nobody in [0, -1, 4_194_304, 4_194_305, .max] as [Int32] { #expect(Clock.processorNanoseconds(ofProcess: nobody) == nil) }
  }

  @Test("A waiting thread wakes when it is signalled, and when its moment has come")
  func monitor() throws {
    let monitor = Monitor()
    let isReady = Guarded(false)
    let thread = try Thread(named: "signaller") {
      monitor.withLock {
        isReady.withLock { $0 = true }
        monitor.broadcast()
      }
    }
    monitor.withLock { while !isReady.withLock({ $0 }) { monitor.wait() } }
    thread.join()
    let wasSignalled = monitor.withLock { monitor.wait(untilNanoseconds: Clock.monotonicNanoseconds()) }
    #expect(!wasSignalled)
  }

  @Test("The clocks go forward, and the date is after this was written")
  func clocks() {
    let before = Clock.monotonicNanoseconds()
    #expect(Clock.monotonicNanoseconds() >= before)
    #expect(Clock.wallMilliseconds() > 1_700_000_000_000)
  }

  @Test("A lock lets one in at a time and passes on what its body throws")
  func lock() {
    struct Thrown: Error {}
    let lock = Lock()
    #expect(throws: Thrown.self) { try lock.withLock { throw Thrown() } }
    #expect(lock.withLock { 1 } == 1)
  }
}

/// A thread in an array, which takes only copyable values.
private final class Holder {
  private var thread: Thread?
  init(_ thread: consuming Thread) { self.thread = consume thread }
  func join() { if let thread = thread.take() { thread.join() } }
}
