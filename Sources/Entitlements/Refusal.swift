/// Why a recording is refused. It then changes nothing.
package enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// A field that can never be right. Its name is that of the wire's schema.
  case invalid(field: String, problem: String)
  /// Right in itself, but not for this server or in this state.
  case precondition(field: String, problem: String)

  /// What was named isn't there.
  case notFound(field: String, problem: String)

  package var description: String {
    switch self {
    case .invalid(let field, let problem), .precondition(let field, let problem), .notFound(let field, let problem):
      "\(field): \(problem)"
    }
  }
}
