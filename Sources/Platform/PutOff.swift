import Glibc

/// What a thread puts off until it has done all of something: mostly waking another thread, which then finds all of it done.
///
/// A thread that is woken up often has the core at once, and sleeps again before the next thing is done: waking it for each costs
/// more than the things.
package enum PutOff {
  /// What one thread put off so far.
  private final class Works {
    var works: [() -> Void] = []
  }

  /// Where each thread that puts something off has its `Works`.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let result = unsafe pthread_key_create(&key, nil)
    precondition(result == 0, "a process has 1,024 keys, and this is one of few")
    return key
  }()

  /// Runs a body, and then, in their order, the works that it put off on this thread.
  package static func untilEnd(of body: () -> Void) {
    let works = Works()
    let outer = unsafe pthread_getspecific(key)
    // The pointer is there for no longer than the body runs, and `works` lives until the end of this function.
    unsafe pthread_setspecific(key, Unmanaged.passUnretained(works).toOpaque())
    body()
    unsafe pthread_setspecific(key, outer)
    for work in works.works { work() }
  }

  /// Runs a work at the end of the body that puts works off on this thread; at once where none is under way.
  package static func orRun(_ work: @escaping () -> Void) {
    guard let works = unsafe pthread_getspecific(key) else { return work() }
    unsafe Unmanaged<Works>.fromOpaque(works).takeUnretainedValue().works.append(work)
  }
}
