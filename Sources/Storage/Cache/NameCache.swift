import Entitlements

/// The entitlement names that one thread was asked about lately, with their numbers: most requests name the same few.
///
/// Direct-mapped: a name has one place, and drives out another one that has it.
@safe struct NameCache: ~Copyable {
  // Safe: the memory is this value's own from init to deinit, and an index into it is always masked.
  private static let placeCount = 256
  /// A length, a number, and the bytes.
  private static let placeByteCount = 8 + Identifier.byteLimit

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
      return unsafe place.load(fromByteOffset: 4, as: UInt32.self)
    }
    return unsafe lookUp(name, place)
  }

  private func lookUp(_ name: UnsafeRawBufferPointer, _ place: UnsafeMutableRawPointer) -> UInt32? {
    guard let number = unsafe names.knownNumber(of: Identifier(String(decoding: name, as: UTF8.self))) else { return nil }
    unsafe place.storeBytes(of: UInt32(name.count), as: UInt32.self)
    unsafe place.storeBytes(of: number, toByteOffset: 4, as: UInt32.self)
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
