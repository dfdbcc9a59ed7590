/// An id of Apple's within one environment: whatever the rules link or group, they do within one.
package struct ScopedID: Hashable, Sendable {
  package var environment: Environment
  package var id: Identifier

  package init(_ environment: Environment, _ id: Identifier) {
    self.environment = environment
    self.id = id
  }
}
