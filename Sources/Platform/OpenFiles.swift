import CLinux
import Glibc

/// The number of descriptors that this process may have open.
package enum OpenFiles {
  /// Raises the soft limit to the hard one, as far as the kernel allows, and returns what holds now.
  @discardableResult package static func raiseLimit() -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
    var raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
    if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }
}
