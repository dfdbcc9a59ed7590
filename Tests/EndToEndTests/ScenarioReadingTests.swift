import JSON
import Testing

@testable import latchkey

/// What scenario files are refused for, and with which words.
struct ScenarioReadingTests {
  private func read(_ text: String) throws -> Scenario { try Scenario(parsing: Array(text.utf8), file: "test.json") }

  @Test("settings, catalog, name and why may be left out") func theLeast() throws {
    let scenario = try read(#"{ "steps": [ { "snapshot": {} } ] }"#)
    #expect(scenario.settings.clockSkewMilliseconds == 60_000)
    #expect(scenario.catalog.products.isEmpty)
    #expect(scenario.steps.count == 1)
  }

  @Test(
    "an unknown key anywhere in Latchkey's own part is named with its line",
    arguments: [
      "{\n\"odd\": 1, \"steps\": [] }", "{ \"settings\": {\n\"odd\": 1 }, \"steps\": [] }",
      "{ \"catalog\": {\n\"odd\": 1 }, \"steps\": [] }", "{ \"steps\": [\n{ \"odd\": {} } ] }",
    ]
      + [
        #""record": { "transaction": {}, ~ }"#, #""record": { "transaction": {}, "expect": { ~ } }"#,
        #""record": { "transaction": {}, "expect": { "changes": [ { ~ } ] } }"#, #""check": { ~ }"#, #""entitlements": { ~ }"#,
        #""rebuild": { ~ }"#, #""catalog": { ~ }"#, #""snapshot": { ~ }"#, #""report": { ~ }"#, #""grant": { ~ }"#,
        #""ungrant": { ~ }"#,
      ].map { "{ \"steps\": [ { " + $0.replacing("~", with: "\n\"odd\": 1") + " } ] }" })
  func unknownKeys(text: String) {
    #expect {
      try read(text)
    } throws: { error in
      (error as? JSONError)?.line == 2 && "\(error)".contains("unknown key \"odd\"")
    }
  }

  @Test("Apple's objects may carry any key") func applesKeys() throws {
    let scenario = try read(
      #"{ "steps": [ { "record": { "transaction": { "odd": 1 }, "renewal_info": { "odd": 1 } } }, { "rebuild": { "history": [ { "odd": 1 } ] } } ] }"#
    )
    #expect(scenario.steps.count == 2)
  }

  @Test(
    "a step that can't be is refused with its path",
    arguments: [
      (#"{}"#, "expected exactly one key"),
      (#"{ "snapshot": {}, "restart": "kill" }"#, "expected exactly one key"),
      (#"{ "restart": "crash" }"#, "steps[0].restart: expected clean or kill"),
      (#"{ "check": { "customer": "a", "entitlement": "b" } }"#, "steps[0].check.allowed: missing"),
      (#"{ "check": { "customer": "a", "entitlement": "b", "allowed": true, "reason": "LUCK" } }"#, "steps[0].check.reason"),
      (
        #"{ "check": { "customer": "a", "entitlement": "b", "allowed": true, "at": 5 } }"#, "steps[0].check.at: expected a string"
      ),
      (#"{ "check": { "customer": "a", "entitlement": "b", "allowed": true, "at": "soon" } }"#, "expected a time in UTC"),
      (#"{ "record": {} }"#, "expected exactly one of notification, transaction, notification_v1; found 0"),
      (#"{ "record": { "transaction": {}, "notification": {} } }"#, "found 2"),
      (#"{ "record": { "transaction": {}, "source": "DEVICE" } }"#, "steps[0].record.source"),
      (#"{ "record": { "transaction": {}, "expect": { "error": "NO" } } }"#, "steps[0].record.expect.error"),
      (#"{ "record": { "transaction": {}, "expect": { "error": "UNKNOWN", "outcome": "APPLIED" } } }"#, "nothing but its error"),
      (#"{ "rebuild": { "corrections": -1 } }"#, "steps[0].rebuild.corrections: expected a number from 0 on"),
      (#"{ "report": { "amounts": { "USD": "1" } } }"#, "steps[0].report.amounts.USD"),
    ])
  func badSteps(step: String, message: String) {
    #expect {
      try read("{ \"steps\": [ \(step) ] }")
    } throws: { error in
      "\(error)".contains(message)
    }
  }

  @Test(
    "changes are looked at when the scenario says, else when Apple signed, else now",
    arguments: [
      (#""notification": { "signedDate": 5, "data": { "signedTransactionInfo": { "signedDate": 7 } } }"#, 5),
      (#""notification": { "data": { "signedTransactionInfo": { "signedDate": 7 } } }"#, 7),
      (#""transaction": { "signedDate": 9 }"#, 9),
      (#""notification_v1": {}"#, 0), (#""transaction": { "signedDate": 9 }, "expect": { "at": "1970-01-01T00:00:01Z" }"#, 1_000),
    ] as [(String, Int64)])
  func changeMoments(record: String, milliseconds: Int64) throws {
    let action = try read("{ \"steps\": [ { \"record\": { \(record) } } ] }").steps[0].action
    guard case .record(let request, _) = action else { return #expect(Bool(false), "a recording") }
    #expect(request.evaluateChangesAtMilliseconds == milliseconds)
  }
}
