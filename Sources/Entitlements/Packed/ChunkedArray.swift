/// An array in pieces of one size: growing it copies no element, so that no append takes long, and the room that isn't used is that of
/// one piece.
struct ChunkedArray<Element> {
  private var chunks: [[Element]] = []
  private(set) var count = 0

  /// A power of two, so that a place is found by shifting.
  private static var chunkBits: Int { 9 }
  private static var chunkCount: Int { 1 << chunkBits }

  init() {}

  init(_ elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  mutating func append(_ element: Element) {
    if count & (ChunkedArray.chunkCount - 1) == 0 {
      chunks.append([])
      // The first one grows as it needs to: most arrays of a short-lived ledger stay small.
      if count > 0 { chunks[chunks.count - 1].reserveCapacity(ChunkedArray.chunkCount) }
    }
    chunks[chunks.count - 1].append(element)
    count += 1
  }

  subscript(index: Int) -> Element {
    _read { yield chunks[index >> ChunkedArray.chunkBits][index & (ChunkedArray.chunkCount - 1)] }
    _modify { yield &chunks[index >> ChunkedArray.chunkBits][index & (ChunkedArray.chunkCount - 1)] }
  }
}

extension ChunkedArray: Equatable where Element: Equatable {}
extension ChunkedArray: Sendable where Element: Sendable {}
