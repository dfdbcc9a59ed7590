/// Changes up to four bytes, and now and then the length.
package func damaged(_ bytes: [UInt8], by random: inout SeededRandom) -> [UInt8] {
  var bytes = bytes
  for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
  }
  if random.oneIn(3) { bytes.removeLast(Int.random(in: 0...min(4, bytes.count), using: &random)) }
  if random.oneIn(3) { bytes.append(UInt8.random(in: 0...255, using: &random)) }
  return bytes
}
