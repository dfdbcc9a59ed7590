import CLinux

/// Memory that the process has freed and the allocator keeps.
package enum FreeMemory {
  /// Gives it back to the system, whose pages it then takes anew where it needs them again: after a work that took much once.
  package static func giveBack() { _ = malloc_trim(0) }
}
