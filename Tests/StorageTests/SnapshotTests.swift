import Entitlements
import Journaling
import LatchkeyWire
import TestSupport
import Testing

@testable import Storage

struct SnapshotTests {
  /// A catalog whose entry, alone in a block, makes so many bytes.
  private func catalog(blockBytes: Int) -> Catalog {
    func byteCount(of catalog: Catalog) -> Int {
      StoredBlock.with { block in block.entries = [.with { $0.catalog = StoredCatalog(catalog) }] }.encoded().count
    }
    var catalog = Catalog(products: ["p": .init(entitlements: [Identifier(String(repeating: "e", count: blockBytes - 64))])])
    let missing = blockBytes - byteCount(of: catalog)
    catalog["p"]?.entitlements = [Identifier(String(repeating: "e", count: blockBytes - 64 + missing))]
    precondition(byteCount(of: catalog) == blockBytes)
    return catalog
  }

  @Test(
    "An entry of any length comes back from the blocks, none of which is over the limit",
    arguments: [-1, 0, 1].flatMap { [$0 + 1 << 20, $0 + 2 << 20] } + [1_000, 5_000_000])
  func longEntries(blockBytes: Int) throws {
    let entries = [
      StoredEntry.with { $0.catalog = StoredCatalog(catalog(blockBytes: blockBytes)) },
      StoredEntry.with { $0.settings = StoredSettings(Settings()) },
    ]
    for entries in [entries, entries.reversed()] {
      var builder = BlockBuilder()
      var reader = BlockReader()
      var result: [StoredEntry] = []
      for block in entries.flatMap({ builder.add($0) + builder.finish() }) {
        #expect(block.count <= JournalLimits.snapshotBlockBytes)
        result += try reader.entries(in: Array(block))
      }
      #expect(!reader.isIncomplete)
      #expect(result.map { $0.encoded() } == entries.map { $0.encoded() })
    }
  }

  @Test("A store whose catalog is longer than a block of a snapshot closes and opens")
  func longCatalog() throws {
    let directory = try TemporaryDirectory()
    let catalog = Catalog(
      products: Dictionary(
        uniqueKeysWithValues: (0..<9_000).map {
          (Identifier("product \($0)"), .init(entitlements: [Identifier(String(repeating: "e", count: 128))]))
        }))
    let store = try openStore(directory.store, catalog: catalog)
    try store.record(lifetime("1"), as: "anna")
    let contents = store.contents
    try store.close()
    let reopened = try openStore(try directory.copy(of: directory.store), catalog: nil)
    #expect(reopened.recovery.snapshotRevision == 2)
    #expect(reopened.contents == contents)
  }

  @Test("The digest depends on every entry, and not on their order")
  func digest() {
    var history = RandomHistory(seed: 3)
    var ledger = Ledger(catalog: .sample)
    for _ in 0..<60 { _ = try? ledger.record(history.recording()) }
    var entries = Array(SnapshotEntries(of: ledger))
    let whole = StateDigest(of: ledger).value
    func digest(of entries: [StoredEntry]) -> UInt64 {
      var digest = StateDigest()
      for entry in entries { digest.add(entry) }
      return digest.value
    }
    #expect(digest(of: entries.shuffled(using: &history.random)) == whole)
    for index in entries.indices {
      let entry = entries.remove(at: index)
      #expect(digest(of: entries) != whole)
      entries.insert(entry, at: index)
    }
  }
}
