import Entitlements

/// The entitlement names that one thread was asked about lately, with their numbers: most requests name the same few.
///
/// Direct-mapped: a name has one place, and drives out another one that has it. One that no product ever granted is remembered
/// too, until the next name comes to be known, but drives out none that is.
@safe struct NameCache: ~Copyable {
  // Safe: the memory is this value's own from init to deinit, and an index into it is always masked.
  private static let placeCount = 256
  /// A length, a number, and the bytes.
  private static let placeByteCount = 8 + Identifier.byteLimit
  /// Stands above how many names there were, in place of a number, where the name was none of them.
  private static let unknownBit: UInt32 = 1 << 31

  private let names: EntitlementNames
  private let places: UnsafeMutableRawPointer

  init(_ names: EntitlementNames) {
    self.names = names
    let byteCount = NameCache.placeCount * NameCache.placeByteCount
    unsafe places = .allocate(byteCount: byteCount, alignment: 8)
    unsafe places.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  deinit { unsafe places.deallocate() }

  /// The number of a name, if some product ever granted it.
  @inline(__always)
  mutating func number(of name: UnsafeRawBufferPointer) -> UInt32? {
    guard let bytes = name.baseAddress, name.count <= Identifier.byteLimit else { return nil }
    let place = unsafe places + NameCache.place(of: name) * NameCache.placeByteCount
    if unsafe Int(place.load(as: UInt32.self)) == name.count, unsafe AccessBlock.equal(place + 8, bytes, name.count) {
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
    unsafe (place + 8).copyMemory(from: name.baseAddress ?? UnsafeRawPointer(place), byteCount: name.count)
    return number
  }

  @inline(__always)
  private static func place(of name: UnsafeRawBufferPointer) -> Int {
    var mixed = UInt64(name.count)
    if name.count >= 8 {
      mixed ^= unsafe name.loadUnaligned(as: UInt64.self)
      mixed = unsafe mixed &* 0x9E37_79B9_7F4A_7C15 ^ name.loadUnaligned(fromByteOffset: name.count - 8, as: UInt64.self)
    } else {
      for index in name.indices { mixed = unsafe mixed << 8 ^ UInt64(name[index]) }
    }
    return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 56) & (placeCount - 1)
  }
}
