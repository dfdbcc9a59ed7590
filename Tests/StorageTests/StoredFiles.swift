import Entitlements
import Journaling
import Platform
import TestSupport

@testable import Storage

/// The files of a store as they lie on the disk, to be compared, changed and put back.
struct StoredFiles: Equatable {
  /// By name.
  private(set) var contents: [String: [UInt8]] = [:]
  /// When each was last written to.
  private var modified: [String: Int64] = [:]

  /// No files.
  init() {}

  /// Reads files until they are the same twice: a store that is left alone still seals its journal, and notes that it did.
  ///
  /// - Parameter only: the one file to read; nil: all.
  init(in directory: String, only: String? = nil) throws(SystemError) {
    repeat {
      let before = self
      self = StoredFiles()
      let names = if let only { [only] } else { try Directory.names(in: directory) }
      for name in names {
        do throws(SystemError) { try read(name, in: directory) } catch {
          guard only == nil, error.isMissingFile else { throw error }
        }
      }
      if self == before { return }
    } while true
  }

  private mutating func read(_ name: String, in directory: String) throws(SystemError) {
    let file = try File("\(directory)/\(name)", for: .read)
    contents[name] = try file.read(file.size(), at: 0)
    modified[name] = try Directory.modificationMilliseconds(of: "\(directory)/\(name)")
  }

  /// The names of the files of a kind, such as `journal-`, in order.
  func names(_ prefix: String) -> [String] { contents.keys.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".lk") }.sorted() }
}

/// Writes a file in the place of whatever has its name.
func write(_ bytes: [UInt8], to path: String) throws {
  try File(path, for: .create).write(bytes.span, at: 0)
}

/// Changes one byte of a file.
func flip(_ path: String, at offset: Int) throws {
  let file = try File(path, for: .update)
  let bytes = try file.read(1, at: offset)
  try file.write([bytes[0] ^ 0x10].span, at: offset)
}

/// Segments so small that a history fills several.
let smallSegments = JournalOptions(segmentBytes: 4096)

/// A store that no process has open, as a kill left it, with what it held.
struct KilledStore {
  let path: String
  let held: StoreContents
  /// The digest of the state as of each revision, 0 included.
  private(set) var digests: [UInt64: UInt64] = [0: StateDigest(of: Ledger()).value]

  /// Makes a store of a random history in a directory.
  ///
  /// - Parameter snapshotEvery: how many inputs are between two snapshots.
  init(
    in directory: borrowing TemporaryDirectory, seed: UInt64, inputs: Int = 120, snapshotEvery: Int = 50,
    options: JournalOptions = smallSegments
  ) throws {
    var history = RandomHistory(seed: seed)
    let live = "\(directory.path)/live-\(UInt64.random(in: 0 ... .max))"
    let store = try openStore(live, options: options)
    for number in 1...inputs {
      _ = try? store.submitAndWait(history.input(), evaluateAt: day(30))
      digests[store.revision] = store.read { ledger, _ in StateDigest(of: ledger).value }
      if number % snapshotEvery == 0 { _ = try store.takeSnapshot() }
    }
    held = store.contents
    path = try directory.copy(of: live)
  }
}
