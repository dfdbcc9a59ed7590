import CLinux

/// How the C library's allocator, from which all memory of Swift's comes, gets its memory and gives it back.
package enum Allocator {
  /// Has all threads take memory from one pool; before there are other threads.
  ///
  /// By default most threads get a pool of their own, and what one of them frees goes back to the pool that it is of: a recording is
  /// made on a loop's thread and freed on the recorder's, under the other's lock. Such pools also grow by single pages, with a
  /// system call for each.
  package static func sharesOnePool() { _ = mallopt(M_ARENA_MAX, 1) }

  /// Gives memory that is free back to the system, from which it is taken anew where it is needed again: after a work that took
  /// much once.
  package static func giveBack() { _ = malloc_trim(0) }
}
