import Testing

@testable import Entitlements

@Suite struct SharedValueTests {
  @Test("A copy that is changed leaves the others as they were")
  func copies() {
    var one = SharedValue("one")
    let other = one
    one.value += " and more"
    #expect(one.value == "one and more")
    #expect(other.value == "one")
    #expect(one != other)
    one.value = "one"
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
  }
}
