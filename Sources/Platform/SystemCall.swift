import Glibc

/// Makes one system call, again for as long as a signal interrupts it, and returns its result.
///
/// A bad descriptor is a mistake of this program, never of the world, so it stops the process instead of being reported.
/// - Parameters:
///   - operation: what is being done, for the error; made only when the call fails.
///   - call: the call; a result below zero means that `errno` is set.
@inline(__always)
@discardableResult
package func systemCall<Result: SignedInteger>(
  _ operation: @autoclosure () -> String, _ call: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let failure = errno
    if failure == EINTR { continue }
    precondition(failure != EBADF, "bad file descriptor")
    throw SystemError(errno: failure, operation: operation())
  }
}
