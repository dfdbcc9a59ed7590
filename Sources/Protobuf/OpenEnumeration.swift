/// An enumeration of the schema whose values may outgrow this build: a number without a name survives a round trip.
public protocol OpenEnumeration: RawRepresentable<Int32>, Hashable, Sendable, CustomStringConvertible {
  /// The values that this build knows, with their names as the schema writes them, without the enumeration's prefix.
  static var names: [(value: Self, name: String)] { get }

  init(rawValue: Int32)
}

extension OpenEnumeration {
  /// The value 0, which stands for an absent field.
  @inlinable
  public init() {
    self.init(rawValue: 0)
  }

  /// Finds a value by its name in the schema, without prefix; nil if no value has it.
  public init?(name: String) {
    guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
    self = known.value
  }

  /// The value's name in the schema, without prefix; nil if this build doesn't know the number.
  public var name: String? {
    Self.names.first { $0.value.rawValue == rawValue }?.name
  }

  /// The name, or the number where there is none.
  public var description: String { name ?? String(rawValue) }
}
