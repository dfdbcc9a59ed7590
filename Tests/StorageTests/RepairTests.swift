import Entitlements
import Journaling
import Platform
import Testing

@testable import Storage

struct RepairTests {
  /// Keeps the whole journal.
  private let keeping = JournalOptions(segmentBytes: 4096, keptSeconds: 86_400)

  /// Repairs a store, and expects it to hold then what it held at a revision, to be whole, and to have kept every file it had.
  private func expectRepair(of killed: KilledStore, to kept: UInt64? = nil) throws {
    let before = try StoredFiles(in: killed.path)
    let last: UInt64
    do {
      let repair = try Repair.examine(killed.path)
      #expect(!repair.damages.isEmpty)
      if let kept { #expect(repair.kept == kept) }
      #expect(repair.lastKnown == killed.held.revision)
      last = repair.lastKnown
      try repair.perform()
      let verification = try Verification(reading: StoreSurvey.read(try Self.copy(killed.path))) { _ in }
      #expect(verification.damages.isEmpty, "\(verification.damages)")
      #expect(verification.digest == killed.digests[repair.kept])
      #expect(verification.revision == last + 1)
    }
    let after = try StoredFiles(in: killed.path)
    for (name, bytes) in before.contents where name != "lock" {
      #expect(after.contents.contains { $0.key.hasPrefix(name) && $0.key.hasSuffix(".damaged") && $0.value == bytes }, "\(name)")
    }
  }

  /// A copy in the same directory, of which nobody holds the lock.
  private static func copy(_ store: String) throws -> String {
    let copy = "\(store)-copy-\(UInt64.random(in: 0 ... .max))"
    try Directory.create(copy)
    for (name, bytes) in try StoredFiles(in: store).contents { try write(bytes, to: "\(copy)/\(name)") }
    return copy
  }

  @Test("A sound store needs no repair, and keeps every byte")
  func sound() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 1)
    let before = try StoredFiles(in: killed.path)
    let repair = try Repair.examine(killed.path)
    #expect(repair.damages.isEmpty)
    #expect(repair.lostCount == 0)
    #expect(try StoredFiles(in: killed.path) == before)
  }

  @Test(
    "Behind a damaged frame all is lost, and told: from which revision on, how many, and whose",
    arguments: 1...5 as ClosedRange<UInt64>)
  func damagedFrame(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: seed, snapshotEvery: 1_000)
    let segment = try StoredFiles(in: killed.path).names("journal-")[1]
    try flip("\(killed.path)/\(segment)", at: 1_500)
    do {
      let repair = try Repair.examine(killed.path)
      #expect((1..<killed.held.revision).contains(repair.kept))
      #expect(repair.lostCount == killed.held.revision - repair.kept)
      // Only the damaged frame can't be read any more.
      #expect((1..<Int(repair.lostCount)).contains(repair.readable))
      #expect(!repair.customers.isEmpty && repair.customers.isSubset(of: RandomHistory.everyone))
    }
    try expectRepair(of: killed)
  }

  @Test("A repaired store opens, and goes on behind every revision that was ever used")
  func goesOn() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 8, snapshotEvery: 1_000)
    let segments = try StoredFiles(in: killed.path).names("journal-")
    try Directory.remove("\(killed.path)/\(segments[2])")
    do { try Repair.examine(killed.path).perform() }
    let kept = try Verification(of: killed.path).digest
    #expect(killed.digests.values.contains(kept))
    let settings = try Dump(ofStore: killed.path).settings
    let store = try openStore(killed.path, settings: settings, catalog: nil)
    #expect(store.revision == killed.held.revision + 1)
    store.expectAnswersOfLedger()
    try store.record(lifetime("new"), as: "ana")
    #expect(store.revision == killed.held.revision + 2)
  }

  @Test("A missing segment costs what came from it on")
  func missingSegment() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 9, snapshotEvery: 1_000)
    let segment = try StoredFiles(in: killed.path).names("journal-")[2]
    try Directory.remove("\(killed.path)/\(segment)")
    let first = try #require(UInt64(segment.dropFirst(8).dropLast(3)))
    try expectRepair(of: killed, to: first - 1)
  }

  @Test("A damaged newest snapshot costs nothing where the journal behind the older one is whole")
  func damagedSnapshot() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 10)
    let newest = try #require(try StoredFiles(in: killed.path).names("snapshot-").last)
    try flip("\(killed.path)/\(newest)", at: 600)
    try expectRepair(of: killed, to: killed.held.revision)
  }

  @Test("Both snapshots damaged cost nothing where the whole journal is kept")
  func bothSnapshots() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 11, options: keeping)
    for name in try StoredFiles(in: killed.path).names("snapshot-") { try flip("\(killed.path)/\(name)", at: 600) }
    try expectRepair(of: killed, to: killed.held.revision)
  }

  @Test("Where both snapshots are damaged and the journal before them is gone, there is nothing to begin from")
  func nothingLeft() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 12, inputs: 300)
    let stored = try StoredFiles(in: killed.path)
    try #require(stored.names("journal-").first?.hasSuffix("01.lk") == false)
    for name in stored.names("snapshot-") { try flip("\(killed.path)/\(name)", at: 600) }
    let before = try StoredFiles(in: killed.path)
    #expect(throws: StoreError.self) { _ = try Repair.examine(killed.path) }
    #expect(try StoredFiles(in: killed.path) == before)
  }

  @Test("Both manifests damaged or missing cost nothing", arguments: [true, false])
  func manifests(missing: Bool) throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 13)
    for name in try StoredFiles(in: killed.path).names("manifest-") {
      if missing { try Directory.remove("\(killed.path)/\(name)") } else { try flip("\(killed.path)/\(name)", at: 50) }
    }
    try expectRepair(of: killed, to: killed.held.revision)
  }

  @Test("A repair that ended at any of its steps is done again without more loss")
  func interrupted() throws {
    let directory = try TemporaryDirectory()
    let killed = try KilledStore(in: directory, seed: 14, snapshotEvery: 1_000)
    let segment = try StoredFiles(in: killed.path).names("journal-")[1]
    try flip("\(killed.path)/\(segment)", at: 1_500)
    let before = try StoredFiles(in: killed.path)
    do { try Repair.examine(killed.path).perform() }
    let after = try StoredFiles(in: killed.path)
    let digest = try Verification(of: killed.path).digest
    let new = after.names("snapshot-") + after.names("journal-")
    let manifests = after.names("manifest-")
    // What of the new store was there when it ended; the old names go last.
    for steps in [[], [new[0]], new, new + [manifests[0]], new + manifests] {
      let path = "\(directory.path)/interrupted-\(steps.count)"
      try Directory.create(path)
      let aside = after.contents.filter { $0.key.hasSuffix(".damaged") }
      let made = after.contents.filter { steps.contains($0.key) }
      for (name, bytes) in before.contents.merging(aside, uniquingKeysWith: { $1 }).merging(made, uniquingKeysWith: { $1 }) {
        try write(bytes, to: "\(path)/\(name)")
      }
      do { try Repair.examine(path).perform() }
      let verification = try Verification(of: path)
      #expect(verification.damages.isEmpty, "after \(steps): \(verification.damages)")
      #expect(verification.digest == digest, "after \(steps)")
    }
  }
}
