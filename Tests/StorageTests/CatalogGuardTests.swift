import Entitlements
import Testing

@testable import Storage

/// A catalog that can't hurt: compared beside load, and refused where it cuts too many.
struct CatalogGuardTests {
  private let half = CutLimit(share: 0.5)

  /// Two of three customers have "pro", which an empty catalog takes from them.
  private func fill(_ store: EntitlementStore) throws {
    try store.record(lifetime("1"), as: "anna")
    try store.record(lifetime("2"), as: "ben")
    try store.record(lifetime("3") { $0.productID = "other" }, as: "carla")
  }

  @Test("A comparison finds everyone, changes nothing, and leaves turns to others") func comparison() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try fill(store)
    let before = store.contents
    var turns = 0
    // No time passes, so that a turn ends with its elements alone.
    let counting = Turns(
      now: { 0 },
      isGivenUp: {
        turns += 1
        return false
      })
    let (difference, revision) = try store.difference(with: Catalog(), at: day(2), turns: counting)
    #expect(difference.customers == 3)
    #expect(difference.customersLosing == 2)
    #expect(difference.losingExamples.sorted() == ["anna", "ben"])
    #expect(revision == store.revision)
    #expect(store.contents == before)
    // One finds all who hold something, one looks at them, and in between come those who have answers, shard by shard.
    #expect((3...5).contains(turns))
    #expect(failure { try store.difference(with: Catalog(), at: day(2), turns: Turns(isGivenUp: { true })) } == .givenUp)
  }

  @Test("A catalog that cuts more than the limit is refused and changes nothing; forced, it is taken") func replacing() throws {
    let directory = try TemporaryDirectory()
    let store = try openStore(directory.store)
    try fill(store)
    let before = store.contents
    #expect(failure { try store.replace(catalog: Catalog(), limit: half, at: day(2)) } == .catalogRefused)
    #expect(store.contents == before)
    #expect(try store.replace(catalog: .sample, limit: half, at: day(2)).recorded.outcome == .duplicate)
    _ = try store.replace(catalog: Catalog(), limit: .none, at: day(2))
    #expect(store.answer("anna").reason == .neverOwned)
    // Giving it back takes nothing from anyone.
    _ = try store.replace(catalog: .sample, limit: CutLimit(share: 0), at: day(2))
    #expect(store.answer("anna").reason == .purchased)
  }

  @Test("A store doesn't open with a catalog that cuts more than the limit, and is as it was") func opening() throws {
    let directory = try TemporaryDirectory()
    let path = directory.store
    /// Opens the store, and lets go of it, which lets others open it.
    func run<Result>(catalog: Catalog?, limit: CutLimit, _ body: (EntitlementStore) throws -> Result) throws -> Result {
      let store = try EntitlementStore.open(path, settings: Settings(), catalog: catalog, cutLimit: limit) { _ in }
      defer { _ = try? store.close() }
      return try body(store)
    }
    let before = try run(catalog: .sample, limit: .default) { store in
      try fill(store)
      return store.contents
    }
    #expect(failure { try run(catalog: Catalog(), limit: half) { _ in } } == .catalogRefused)
    #expect(try run(catalog: nil, limit: half) { $0.contents } == before)
    #expect(failure { try run(catalog: Catalog(), limit: CutLimit(share: 0.67)) { _ in } } == nil)
    // The journal holds it now, so that there is nothing to compare.
    #expect(failure { try run(catalog: Catalog(), limit: CutLimit(share: 0)) { _ in } } == nil)
  }
}
