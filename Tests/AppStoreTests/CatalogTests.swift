import AppStore
import Entitlements
import JSON
import Testing

@Suite("A catalog file")
struct CatalogTests {
  private let text = """
    {
      "products": [
        {
          "product_id": "pro.monthly",
          "type": "Auto-Renewable Subscription",
          "entitlements": [
            "pro",
            "cloud"
          ]
        },
        {
          "product_id": "season.pass",
          "type": "Non-Renewing Subscription",
          "entitlements": [
            "pro"
          ],
          "access_period": "P30D"
        },
        {
          "product_id": "things"
        }
      ]
    }

    """

  private func catalog(_ text: String) throws(JSONError) -> Catalog { try Catalog(parsing: Array(text.utf8)) }

  @Test("gives its products, and is written as it was read")
  func givesProducts() throws {
    let catalog = try catalog(text)
    #expect(
      catalog
        == Catalog(products: [
          "pro.monthly": Catalog.Product(type: .autoRenewableSubscription, entitlements: ["pro", "cloud"]),
          "season.pass": Catalog.Product(
            type: .nonRenewingSubscription, entitlements: ["pro"], accessPeriod: AccessPeriod(days: 30)),
          "things": Catalog.Product(),
        ]))
    #expect(catalog.json == text)
  }

  @Test("may be empty")
  func mayBeEmpty() throws {
    #expect(try catalog("{}") == Catalog())
    #expect(try catalog(Catalog().json) == Catalog())
    #expect(Catalog().json == "{\n  \"products\": []\n}\n")
  }

  @Test("may leave the type of a product with an access period to its transactions")
  func mayLeaveOutTheType() throws {
    let catalog = try catalog(#"{"products":[{"product_id":"p","access_period":"P1Y2M"}]}"#)
    #expect(catalog.products["p"] == Catalog.Product(accessPeriod: AccessPeriod(months: 14)))
  }

  @Test(
    "is refused by line and key",
    arguments: [
      (
        #""product_id": "things""#, #""product_id": 5"#,
        "line 20, column 21: products[2].product_id: expected a string, found an integer"
      ),
      (#""product_id": "things""#, "", "line 19, column 5: products[2].product_id: missing"),
      (
        #""product_id": "things""#, #""product_id": """#,
        "line 20, column 21: products[2].product_id: expected 1 to 128 bytes, found 0"
      ),
      ("things", "pro.monthly", #"line 20, column 21: products[2].product_id: the product "pro.monthly" stands twice"#),
      (
        #""product_id": "things""#, #""product_id": "things", "price": 1"#,
        #"line 20, column 31: products[2]: unknown key "price"; known are product_id, type, entitlements, access_period"#
      ),
      (#""products""#, #""product""#, #"line 2, column 3: unknown key "product"; known are products"#),
      (
        "P30D", "30 days",
        "line 17, column 24: products[1].access_period: expected an ISO 8601 duration of days, weeks, months "
          + #"or years such as P30D, found "30 days""#
      ),
      (
        "Non-Renewing Subscription", "Consumable",
        "line 17, column 24: products[1].access_period: only a Non-Renewing "
          + "Subscription has an access period; this product is a Consumable"
      ),
      (
        "Auto-Renewable Subscription", "AUTO_RENEWABLE",
        "line 5, column 15: products[0].type: expected one of "
          + "Auto-Renewable Subscription, Non-Consumable, Non-Renewing Subscription, Consumable, found \"AUTO_RENEWABLE\""
      ),
      ("\"cloud\"", "\"pro\"", #"line 8, column 9: products[0].entitlements[1]: the entitlement "pro" stands twice"#),
      ("\"cloud\"", "7", "line 8, column 9: products[0].entitlements[1]: expected a string, found an integer"),
      ("\"cloud\"", "\"\"", "line 8, column 9: products[0].entitlements[1]: expected 1 to 128 bytes, found 0"),
      ("\"cloud\"", "tru", "line 8, column 9: expected a value, found `t`"),
    ])
  func isRefused(part: String, replacement: String, description: String) throws {
    let pieces = text.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
    #expect(pieces.count == 2)
    let error = #expect(throws: JSONError.self) { try catalog(pieces.joined(separator: replacement)) }
    #expect(error?.description == description)
  }

  @Test("may have 100 entitlements in a product and no more", arguments: [(99, true), (100, true), (101, false)])
  func limitsEntitlements(count: Int, isAccepted: Bool) {
    let names = (0..<count).map { "\"e\($0)\"" }.joined(separator: ",")
    let outcome = try? catalog(#"{"products":[{"product_id":"p","entitlements":[\#(names)]}]}"#)
    #expect((outcome != nil) == isAccepted)
  }

  @Test("may have 10,000 products and no more", arguments: [(9_999, true), (10_000, true), (10_001, false)])
  func limitsProducts(count: Int, isAccepted: Bool) {
    let products = (0..<count).map { "{\"product_id\":\"p\($0)\"}" }.joined(separator: ",")
    #expect(((try? catalog(#"{"products":[\#(products)]}"#)) != nil) == isAccepted)
  }

  @Test("may have names of 128 bytes and no more", arguments: [(127, true), (128, true), (129, false)])
  func limitsNames(count: Int, isAccepted: Bool) {
    let name = String(repeating: "x", count: count)
    #expect(((try? catalog(#"{"products":[{"product_id":"\#(name)"}]}"#)) != nil) == isAccepted)
    #expect(((try? catalog(#"{"products":[{"product_id":"p","entitlements":["\#(name)"]}]}"#)) != nil) == isAccepted)
  }
}
