/// Hands values from one thread to another, of which each waits for the other: one value is on its way at most.
package final class Handover<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var isOver = false
  }

  private let state = AwaitedValue(State())

  package init() {}

  /// Gives a value once the one before was taken. Returns false, and keeps nothing, once the other thread wants no more.
  package func give(_ value: Value) -> Bool {
    let isOver = state.wait { state in state.isOver ? true : state.value == nil ? false : nil }
    if !isOver { state.update { $0.value = value } }
    return !isOver
  }

  /// Takes the next value; nil when all were taken and there are no more.
  package func take() -> Value? {
    let next: Value?? = state.wait { state in state.value.map(Optional.some) ?? (state.isOver ? .some(nil) : nil) }
    state.update { $0.value = nil }
    return next ?? nil
  }

  /// Says that there are no more values, or that no more are wanted.
  package func end() { state.update { $0.isOver = true } }
}
