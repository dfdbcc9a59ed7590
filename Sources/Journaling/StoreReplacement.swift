import Platform

extension StoreSurvey {
  /// Puts every file of the store aside, and lays a new store in the same directory that begins with a state.
  ///
  /// Each file first gets a second name that ends in `.damaged`; then the new files are made, which share no name with the old
  /// ones; the new manifest, in the place of the old one, is the moment in which the new store holds; last the old names go. Ended
  /// in between, the directory holds the old store or the new one, and the replacement may be done again.
  ///
  /// - Parameters:
  ///   - revision: higher than that of any file, so that none is ever used twice.
  ///   - body: writes the state in blocks.
  /// - Precondition: the survey holds the directory alone.
  package func replaceStore(
    revision: UInt64, digest: UInt64, _ body: (inout SnapshotWriter) throws -> Void
  ) throws(JournalError) {
    let old = files.map(\.name).filter(FileNames.isStored)
    precondition(!old.contains(FileNames.snapshot(of: revision)), "the new store has names of its own")
    try reading { () throws(SystemError) in
      for name in old { try putAside(name) }
      try Directory.synchronize(directory)
    }
    // Higher than what a damaged copy could say.
    let generation = manifest?.generation ?? 1 << 32
    try StoreFounding.lay(
      StoreFounding.Foundation(directory: directory, revision: revision, digest: digest, generation: generation), body)
    try reading { () throws(SystemError) in
      for name in old where !FileNames.manifests.contains(name) { try Directory.remove("\(directory)/\(name)") }
      try Directory.synchronize(directory)
    }
  }

  private func putAside(_ name: String) throws(SystemError) {
    let taken = try Directory.names(in: directory)
    var attempt = 1
    while taken.contains(FileNames.putAside(name, attempt: attempt)) { attempt += 1 }
    try Directory.link("\(directory)/\(name)", as: "\(directory)/\(FileNames.putAside(name, attempt: attempt))")
  }
}
