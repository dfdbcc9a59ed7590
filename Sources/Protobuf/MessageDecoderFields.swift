extension MessageDecoder {
  @inlinable
  public mutating func string(_ number: Int, _ name: StaticString, _ value: inout String) throws(MalformedMessage) {
    while isAt(number, .lengthDelimited) { value = try takeString(number) }
  }

  @inlinable
  public mutating func bytes(_ number: Int, _ name: StaticString, _ value: inout [UInt8]) throws(MalformedMessage) {
    while isAt(number, .lengthDelimited) { value = Array(source[try takeBytes()]) }
  }

  @inlinable
  public mutating func bool(_ number: Int, _ name: StaticString, _ value: inout Bool) throws(MalformedMessage) {
    while isAt(number, .varint) { value = try takeVarint() != 0 }
  }

  @inlinable
  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32) throws(MalformedMessage) {
    while isAt(number, .varint) { value = Int32(truncatingIfNeeded: try takeVarint()) }
  }

  @inlinable
  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64) throws(MalformedMessage) {
    while isAt(number, .varint) { value = Int64(bitPattern: try takeVarint()) }
  }

  @inlinable
  public mutating func uint32(_ number: Int, _ name: StaticString, _ value: inout UInt32) throws(MalformedMessage) {
    while isAt(number, .varint) { value = UInt32(truncatingIfNeeded: try takeVarint()) }
  }

  @inlinable
  public mutating func uint64(_ number: Int, _ name: StaticString, _ value: inout UInt64) throws(MalformedMessage) {
    while isAt(number, .varint) { value = try takeVarint() }
  }

  @inlinable
  public mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value)
    throws(MalformedMessage)
  {
    while isAt(number, .varint) { value = Value(rawValue: Int32(truncatingIfNeeded: try takeVarint())) }
  }

  @inlinable
  public mutating func int32(_ number: Int, _ name: StaticString, _ value: inout Int32?) throws(MalformedMessage) {
    while isAt(number, .varint) { value = Int32(truncatingIfNeeded: try takeVarint()) }
  }

  @inlinable
  public mutating func int64(_ number: Int, _ name: StaticString, _ value: inout Int64?) throws(MalformedMessage) {
    while isAt(number, .varint) { value = Int64(bitPattern: try takeVarint()) }
  }

  @inlinable
  public mutating func enumeration<Value: OpenEnumeration>(_ number: Int, _ name: StaticString, _ value: inout Value?)
    throws(MalformedMessage)
  {
    while isAt(number, .varint) { value = Value(rawValue: Int32(truncatingIfNeeded: try takeVarint())) }
  }

  @inlinable
  public mutating func message<Value: Message>(_ number: Int, _ name: StaticString, _ value: inout Value?)
    throws(MalformedMessage)
  {
    while isAt(number, .lengthDelimited) {
      var message = value ?? Value()
      try takeMessage(into: &message)
      value = message
    }
  }

  @inlinable
  public mutating func strings(_ number: Int, _ name: StaticString, _ values: inout [String]) throws(MalformedMessage) {
    while isAt(number, .lengthDelimited) {
      try countElement()
      values.append(try takeString(number))
    }
  }

  @inlinable
  public mutating func messages<Value: Message>(_ number: Int, _ name: StaticString, _ values: inout [Value])
    throws(MalformedMessage)
  {
    while isAt(number, .lengthDelimited) {
      try countElement()
      var message = Value()
      try takeMessage(into: &message)
      values.append(message)
    }
  }
}
