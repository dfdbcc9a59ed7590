/// The lists of entitlements that products and operators grant, each under a number, and what several of them have in common:
/// remembered for as long as the catalog is the same.
struct GrantedLists: Sendable {
  /// Entitlements that the same ones of several lists have.
  struct Share: Sendable {
    let list: EntitlementList
    /// Which of the lists.
    let givers: [Int]
  }

  private var edition: Edition?
  private var lists: [EntitlementList] = []
  private var ofProducts = Remembered<Identifier, Int>()
  private var ofOperators = Remembered<Identifier, Int>()
  private var shares = Remembered<[Int], [Share]>()

  /// How many lists, and how many shares, are remembered before all are forgotten.
  private static let limit = 4_096

  /// Forgets what another catalog said, and everything where that is much. Says whether it did: then numbers that were given before
  /// are void.
  mutating func begin(with catalog: Catalog) -> Bool {
    if edition === catalog.edition, lists.count < GrantedLists.limit, shares.count < GrantedLists.limit { return false }
    self = GrantedLists()
    edition = catalog.edition
    return true
  }

  /// The list of a product.
  mutating func number(ofProduct product: Identifier, in catalog: Catalog) -> Int {
    if let known = ofProducts.find(product) { return known }
    lists.append(catalog.list(ofProduct: product))
    ofProducts.keep(lists.count - 1, of: product)
    return lists.count - 1
  }

  /// The list of an operator's grant.
  mutating func number(ofGrantOf entitlement: Identifier) -> Int {
    if let known = ofOperators.find(entitlement) { return known }
    lists.append(EntitlementList([entitlement]))
    ofOperators.keep(lists.count - 1, of: entitlement)
    return lists.count - 1
  }

  subscript(number: Int) -> EntitlementList { lists[number] }

  /// The entitlements of several lists by which of them have it, in the order of the first entitlement of each by its bytes.
  mutating func shares(of numbers: [Int]) -> [Share] {
    if let known = shares.find(numbers) { return known }
    let made = divide(numbers)
    shares.keep(made, of: numbers)
    return made
  }

  private func divide(_ numbers: [Int]) -> [Share] {
    var shares: [(entitlements: [Identifier], givers: [Int])] = []
    var places = Remembered<[Int], Int>()
    var rest = pairs(of: numbers)[...]
    while let entitlement = rest.first?.entitlement {
      let givers = rest.prefix { $0.entitlement == entitlement }.map(\.giver)
      rest = rest.dropFirst(givers.count)
      let place = places.value(of: givers, otherwise: shares.count)
      if place == shares.count { shares.append(([], givers)) }
      shares[place].entitlements.append(entitlement)
    }
    return shares.map { Share(list: EntitlementList($0.entitlements), givers: $0.givers) }
  }

  /// Each entitlement with each of the lists that has it, in order.
  private func pairs(of numbers: [Int]) -> [(entitlement: Identifier, giver: Int)] {
    var pairs: [(entitlement: Identifier, giver: Int)] = []
    for (index, number) in numbers.enumerated() {
      for entitlement in lists[number].entitlements { pairs.append((entitlement, index)) }
    }
    pairs.sort { $0.entitlement == $1.entitlement ? $0.giver < $1.giver : $0.entitlement < $1.entitlement }
    return pairs
  }
}
