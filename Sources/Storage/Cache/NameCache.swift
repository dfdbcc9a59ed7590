import Entitlements

/// The entitlement names that one thread was asked about lately, with their numbers: most requests name the same few.
///
/// Direct-mapped: a name has one place, and drives out another one that has it. One that no product ever granted is remembered
/// too, until the next name comes to be known, but drives out none that is.
@safe struct NameCache: ~Copyable {
  // Safe: the memory is this value's own from init to deinit, and an index into it is always masked.
  private static let placeCount = 256
  /// What comes before the bytes of a place: their length, and the number.
  private static let headByteCount = 8
  /// Stands above how many names there were, in place of a number, where the name was none of them.
  private static let unknownBit: UInt32 = 1 << 31

  private let names: EntitlementNames
  private let places: UnsafeMutableRawPointer
  /// The most bytes of a name. Another module's constant costs a call each time that it is asked for.
  private let nameByteLimit = Identifier.byteLimit
  private let placeByteCount = headByteCount + Identifier.byteLimit

  init(_ names: EntitlementNames) {
    self.names = names
    let byteCount = NameCache.placeCount * placeByteCount
    unsafe places = .allocate(byteCount: byteCount, alignment: 8)
    unsafe places.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe places.deallocate() }

  /// The number of a name, if some product ever granted it.
  @inline(__always)
  mutating func number(of name: UnsafeRawBufferPointer) -> UInt32? {
    guard let bytes = name.baseAddress, name.count <= nameByteLimit else { return nil }
    let place = unsafe places + NameCache.place(of: bytes, name.count) &* placeByteCount
    if unsafe Int(place.load(as: UInt32.self)) == name.count,
      unsafe UnsafeRawPointer(place + NameCache.headByteCount).hasSameBytes(as: bytes, count: name.count)
    {
      let number = unsafe place.load(fromByteOffset: 4, as: UInt32.self)
      if number & NameCache.unknownBit == 0 { return number }
      if number == NameCache.unknownBit | names.count { return nil }
    }
    return unsafe lookUp(name, place)
  }

  private func lookUp(_ name: UnsafeRawBufferPointer, _ place: UnsafeMutableRawPointer) -> UInt32? {
    // Before the look, so that a name that comes to be known meanwhile is looked up again.
    let count = names.count
    let number = unsafe names.knownNumber(of: Identifier(String(decoding: name, as: UTF8.self)))
    let isTaken =
      unsafe place.load(as: UInt32.self) != 0 && place.load(fromByteOffset: 4, as: UInt32.self) & NameCache.unknownBit == 0
    if number == nil && isTaken { return nil }
    unsafe place.storeBytes(of: UInt32(name.count), as: UInt32.self)
    unsafe place.storeBytes(of: number ?? NameCache.unknownBit | count, toByteOffset: 4, as: UInt32.self)
    unsafe (place + NameCache.headByteCount).copyMemory(from: name.baseAddress ?? UnsafeRawPointer(place), byteCount: name.count)
    return number
  }

  @inline(__always)
  private static func place(of bytes: UnsafeRawPointer, _ count: Int) -> Int {
    var mixed = unsafe count >= 8 ? bytes.word(at: 0) : bytes.shortWord(count)
    if count >= 8 { mixed = unsafe mixed &* 0x9E37_79B9_7F4A_7C15 ^ bytes.word(at: count &- 8) }
    mixed ^= UInt64(truncatingIfNeeded: count)
    return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 56) & (placeCount - 1)
  }
}
