import Glibc
import Testing

@testable import Platform

@Suite struct FileTests {
  private let directory = "/tmp/latchkey-platform-\(UInt64.random(in: 0 ... .max))"

  /// Runs a test in a directory of its own.
  private func inDirectory(_ body: (String) throws -> Void) throws {
    try Directory.create(directory)
    defer {
      for name in (try? Directory.names(in: directory)) ?? [] { try? Directory.remove("\(directory)/\(name)") }
      unsafe rmdir(directory)
    }
    try body(directory)
  }

  @Test("What is written at an offset is read there again, and reading ends where the file does")
  func readsAndWrites() throws {
    try inDirectory { directory in
      let file = try File("\(directory)/file", for: .create)
      try file.write([1, 2, 3].span, at: 2)
      try file.synchronizeData()
      #expect(try file.size() == 5)
      #expect(try file.read(10, at: 0) == [0, 0, 1, 2, 3])
      #expect(try file.read(2, at: 3) == [2, 3])
      try file.fillWithZeros(from: 4, to: 8)
      #expect(try file.read(8, at: 0) == [0, 0, 1, 2, 0, 0, 0, 0])
      try file.truncate(to: 3)
      try file.synchronize()
      try file.dropCachedPages()
      #expect(try file.read(8, at: 0) == [0, 0, 1])
    }
  }

  @Test("A file is renamed, listed and removed")
  func names() throws {
    try inDirectory { directory in
      var file = try File("\(directory)/b", for: .create)
      _ = try File("\(directory)/a", for: .create)
      #expect(try Directory.names(in: directory) == ["a", "b"])
      try file.rename(to: "\(directory)/c")
      try Directory.synchronize(directory)
      #expect(file.path == "\(directory)/c")
      #expect(try Directory.exists("\(directory)/c"))
      #expect(try !Directory.exists("\(directory)/b"))
      try Directory.remove("\(directory)/a")
      #expect(try Directory.names(in: directory) == ["c"])
    }
  }

  @Test("An error names the operation, the path and the reason")
  func describesErrors() throws {
    try inDirectory { directory in
      let error = #expect(throws: SystemError.self) { _ = try File("\(directory)/missing", for: .read) }
      #expect(error?.errno == ENOENT)
      #expect(error?.description == "open \(directory)/missing: No such file or directory (errno 2)")
    }
  }

  @Test("A file lock is held by one at a time")
  func fileLock() throws {
    try inDirectory { directory in
      do {
        let first = try FileLock.acquire("\(directory)/lock")
        let second = try FileLock.acquire("\(directory)/lock")
        let isHeld = (first != nil, second != nil)
        #expect(isHeld == (true, false))
      }
      let third = try FileLock.acquire("\(directory)/lock")
      let isHeldAgain = third != nil
      #expect(isHeldAgain)
    }
  }

  @Test("A lock that is shared keeps whoever wants it alone out, and makes no file")
  func sharedLock() throws {
    try inDirectory { directory in
      #expect(throws: SystemError.self) { _ = try FileLock.share("\(directory)/lock") }
      #expect(try Directory.names(in: directory).isEmpty)
      do { _ = try FileLock.acquire("\(directory)/lock") }
      let first = try FileLock.share("\(directory)/lock")
      let second = try FileLock.share("\(directory)/lock")
      let alone = try FileLock.acquire("\(directory)/lock")
      let isHeld = (first != nil, second != nil, alone != nil)
      #expect(isHeld == (true, true, false))
    }
  }

  @Test("A file has a second name until one is removed, and no name is taken from another file")
  func links() throws {
    try inDirectory { directory in
      try File("\(directory)/one", for: .create).write([1, 2, 3].span, at: 0)
      try Directory.link("\(directory)/one", as: "\(directory)/two")
      #expect(throws: SystemError.self) { try Directory.link("\(directory)/one", as: "\(directory)/two") }
      try Directory.remove("\(directory)/one")
      #expect(try Directory.byteCount(of: "\(directory)/two") == 3)
      #expect(try !Directory.isDirectory("\(directory)/two"))
      #expect(try Directory.isDirectory(directory))
    }
  }

  @Test("A path's parent is the directory of its last name", arguments: [("a", "."), ("/a", "/"), ("a/b", "a"), ("/a/b", "/a")])
  func parents(path: String, parent: String) { #expect(Directory.parent(of: path) == parent) }

  @Test("A descriptor is closed when its owner lets go, unless it was released")
  func descriptors() throws {
    func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let kept = Descriptor(owning: ends[0]).release()
    #expect(isOpen(kept))
    do { _ = Descriptor(owning: kept) }
    #expect(!isOpen(kept))
    close(ends[1])
  }
}
