import CLinux
import Glibc

/// Memory in pages of 2 MiB where the kernel has them, so that the processor finds it without walking through page tables.
package enum HugePages {
  /// The size and the alignment of a page.
  package static let byteCount = 2 << 20

  /// Sets aside memory of at least so many bytes, a multiple of the page's; what isn't touched costs nothing. Traps where the
  /// process has no address space left, as every allocation does. To be given back by `deallocate()`.
  package static func allocate(atLeast wanted: Int) -> UnsafeMutableRawBufferPointer {
    let count = (wanted + byteCount - 1) / byteCount * byteCount
    var memory: UnsafeMutableRawPointer?
    guard unsafe posix_memalign(&memory, byteCount, count) == 0, let memory = unsafe memory else {
      preconditionFailure("no memory for \(count) bytes")
    }
    // Only advice: without huge pages it is memory all the same.
    unsafe madvise(memory, count, MADV_HUGEPAGE)
    return unsafe UnsafeMutableRawBufferPointer(start: memory, count: count)
  }
}
