/// Values of which few differ, each kept once for as long as something has it.
struct SharedValues<Value: Hashable & Sendable>: Sendable {
  private struct Shared: Sendable {
    var value: Value
    var useCount = 0
  }

  private var shared = PlacedValues<Shared>()
  private var numbers: [Value: Int] = [:]
  /// The number of the last value that came, which is mostly the next one to come, too; nil where nothing has it any more.
  private var last: Int?
  /// Changes with each value that gets a number.
  private(set) var edition = Edition()
  /// How many values nothing had any more, whose numbers may since mean others.
  private(set) var lossCount = 0

  subscript(number: Int) -> Value { _read { yield shared[number].value } }

  /// The number of a value, which one more has from now on.
  mutating func take(_ value: Value) -> Int {
    let number = last.flatMap { shared[$0].value == value ? $0 : nil } ?? number(of: value)
    last = number
    shared[number].useCount += 1
    return number
  }

  /// Says that one more has a value that something has.
  mutating func takeAgain(_ number: Int) { shared[number].useCount += 1 }

  private mutating func number(of value: Value) -> Int {
    if let number = numbers[value] { return number }
    let number = shared.keep(Shared(value: value))
    numbers[value] = number
    edition = Edition()
    return number
  }

  /// Says that one has it no more.
  mutating func leave(_ number: Int) {
    shared[number].useCount -= 1
    guard shared[number].useCount == 0 else { return }
    numbers[shared[number].value] = nil
    lossCount += 1
    // What it was stands there until another one comes.
    shared.giveUp(number, leaving: shared[number])
    if last == number { last = nil }
  }
}
