/// Which customers exist for a load, and what they hold: a pure function of the seed and a customer's number, so that filling a server
/// and asking it can be two commands, and nobody is kept in memory.
///
/// Customers stand in households, the purchaser first: six of 26 live alone, the others in families with one to five members beside
/// the purchaser.
package struct Population: Sendable {
  /// The most customers that a load may have.
  package static let customerLimit = 10_000_000

  /// How many customers there are.
  package let customerCount: Int
  private let seed: UInt64

  /// Makes a population.
  /// - Parameters:
  ///   - customerCount: at least one, at most ``customerLimit``.
  ///   - seed: another one gives other customers.
  package init(customerCount: Int, seed: UInt64) {
    precondition((1...Population.customerLimit).contains(customerCount), "a population of \(customerCount)")
    (self.customerCount, self.seed) = (customerCount, RandomNumbers.mixed(seed &+ 0x9E37_79B9_7F4A_7C15))
  }

  /// The people who share what one of them bought.
  package struct Household: Equatable, Sendable {
    /// The numbers of the people, the purchaser's first.
    package let people: Range<Int>
    /// What they have.
    package let product: Product
    /// How many months were paid for; one for what isn't a subscription.
    package let periods: Int
    /// Whether the last payment was given back.
    package let isRefunded: Bool
  }

  /// What is sold. The names are as long as one another, so that a prepared request fits both.
  package enum Product: String, CaseIterable, Sendable {
    /// A subscription by the month.
    case monthly = "bench.monthly"
    /// A non-consumable.
    case onetime = "bench.onetime"

    /// How many bytes the name has.
    package static let byteCount = 13

    /// The name, made once.
    var bytes: [UInt8] { self == .monthly ? Product.monthlyBytes : Product.onetimeBytes }

    private static let monthlyBytes = Array(Product.monthly.rawValue.utf8)
    private static let onetimeBytes = Array(Product.onetime.rawValue.utf8)
  }

  /// The id of a customer.
  package func id(of customer: Int) -> CustomerID {
    CustomerID(high: number(customer, .idHigh), low: number(customer, .idLow))
  }

  /// The household of a customer.
  package func household(of customer: Int) -> Household {
    let (street, place) = customer.quotientAndRemainder(dividingBy: Population.sizes.count)
    let (first, size) = Population.sizes[place]
    let purchaser = street * Population.sizes.count + first
    let fate = number(purchaser, .fate)
    let product: Product = fate % 10 < 7 ? .monthly : .onetime
    return Household(
      people: purchaser..<min(purchaser + size, customerCount), product: product,
      periods: product == .monthly ? 1 + Int(fate >> 8 & 3) : 1, isRefunded: fate >> 16 % 20 == 0)
  }

  /// The pattern in which households follow one another: for each of the 26 customers on such a street, where the household begins
  /// and how many people it has.
  private static let sizes: [(first: Int, size: Int)] = {
    var places: [(Int, Int)] = []
    for size in [6, 5, 4, 3, 2, 1, 1, 1, 1, 1, 1] {
      places += repeatElement((places.count, size), count: size)
    }
    return places
  }()

  /// What a random number is for.
  package enum Purpose: UInt64 {
    case idHigh = 1
    case idLow, fate, transaction
  }

  /// A random number that belongs to a customer.
  package func number(_ customer: Int, _ purpose: Purpose, _ part: Int = 0) -> UInt64 {
    let place = UInt64(customer) << 8 | purpose.rawValue << 5 | UInt64(part)
    return RandomNumbers.mixed(RandomNumbers.mixed(seed ^ place) &+ seed)
  }
}
