/// How far threads stand behind those that answer checks where they want the same core, as nice values above the process's own.
///
/// A loop that is woken up has the core at once only if the kernel thinks that it had less than its share of late: beside threads
/// with shares as large as its own it mostly hadn't. All are well below it, and none so far that a core full of checks leaves
/// nothing to it: 10 is a tenth of such a core, 15 a thirtieth.
package enum Precedence {
  /// What others wait for: recordings, histories and explanations.
  package static let answers: Int32 = 10
  /// What goes on for long, such as rebuilds, reports, and the parts of a snapshot. It holds the ledger's lock now and then, for which
  /// recordings wait.
  package static let longWorks: Int32 = 15
  /// What holds no lock: the bytes of a snapshot.
  static let writing: Int32 = 19
}
