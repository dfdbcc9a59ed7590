/// Overwrites an integer, as files have it.
func store<Value: FixedWidthInteger>(_ value: Value, in bytes: inout [UInt8], at offset: Int) {
  for index in 0..<(Value.bitWidth / 8) { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
}
