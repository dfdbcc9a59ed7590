import Platform

/// Memory for the cache's blocks and tables: pieces of huge pages, without a word between them.
///
/// A piece's size is rounded up to one of a few classes; a piece that is given back waits for the next of its class. Memory goes
/// back to the system only with the arena. Belongs to one thread at a time.
@unsafe struct PieceArena: ~Copyable {
  private var chunks: [UnsafeMutableRawBufferPointer] = unsafe []
  /// What was not given out yet of the newest chunk for each of the three that `chunk(forSize:)` tells apart.
  private var rests = unsafe [UnsafeMutableRawBufferPointer](repeating: .init(start: nil, count: 0), count: 3)
  /// For each class, the first piece that waits; its first word is the address of the next one.
  private var waiting = unsafe [UnsafeMutableRawPointer?](repeating: nil, count: PieceArena.classCount)

  /// Pieces up to here have sizes a multiple of the grain; larger ones, a power of two.
  private static let smallByteCount = 1_024
  /// What sizes of small pieces are a multiple of.
  private static let grain = 16
  /// A line of the processor's cache: small pieces of so many bytes, or a multiple, begin with one. Most customers' blocks do.
  private static let lineByteCount = 64
  private static let smallClassCount = smallByteCount / grain
  private static let classCount = smallClassCount + Int.bitWidth

  deinit {
    for index in unsafe chunks.indices { unsafe chunks[index].deallocate() }
  }

  /// Gives a piece of at least so many bytes, aligned to 16, not initialised.
  mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let kind = unsafe PieceArena.kind(of: byteCount)
    if let piece = unsafe takeWaiting(kind) { return unsafe piece }
    let size = unsafe PieceArena.byteCount(ofKind: kind)
    if size >= HugePages.byteCount { return unsafe PieceArena.start(of: makePages(size)) }
    let chunk = unsafe PieceArena.chunk(forSize: size)
    // What is left of a chunk is let go where it is too small.
    if unsafe rests[chunk].count < size {
      unsafe rests[chunk] = unsafe takeLargePiece(for: chunk) ?? makePages(HugePages.byteCount)
    }
    let piece = unsafe PieceArena.start(of: rests[chunk])
    unsafe rests[chunk] = unsafe UnsafeMutableRawBufferPointer(rebasing: rests[chunk][size...])
    return unsafe piece
  }

  /// Takes the largest piece that waits, for small ones to be made of: a table that was replaced by a larger one is wanted by none.
  private mutating func takeLargePiece(for chunk: Int) -> UnsafeMutableRawBufferPointer? {
    guard chunk < 2 else { return nil }
    for kind in (unsafe PieceArena.smallClassCount..<PieceArena.classCount).reversed() {
      guard let piece = unsafe takeWaiting(kind) else { continue }
      return unsafe UnsafeMutableRawBufferPointer(start: piece, count: PieceArena.byteCount(ofKind: kind))
    }
    return nil
  }

  private mutating func takeWaiting(_ kind: Int) -> UnsafeMutableRawPointer? {
    guard let piece = unsafe waiting[kind] else { return nil }
    unsafe waiting[kind] = unsafe piece.load(as: UnsafeMutableRawPointer?.self)
    return unsafe piece
  }

  /// Which of the chunks pieces of a size are taken of: the one for larger pieces, for small ones in whole lines, or for others.
  private static func chunk(forSize size: Int) -> Int {
    if unsafe size > smallByteCount { return 2 }
    return unsafe size % lineByteCount == 0 ? 1 : 0
  }

  /// Takes a piece back that was given for so many bytes.
  mutating func free(_ piece: UnsafeMutableRawPointer, _ byteCount: Int) {
    let kind = unsafe PieceArena.kind(of: byteCount)
    unsafe piece.storeBytes(of: waiting[kind], as: UnsafeMutableRawPointer?.self)
    unsafe waiting[kind] = unsafe piece
  }

  private static func start(of memory: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawPointer {
    guard let start = memory.baseAddress else { preconditionFailure("a chunk has memory") }
    return unsafe start
  }

  private mutating func makePages(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
    let pages = unsafe HugePages.allocate(atLeast: byteCount)
    unsafe chunks.append(pages)
    return unsafe pages
  }

  private static func kind(of byteCount: Int) -> Int {
    if unsafe byteCount <= smallByteCount { return unsafe max(byteCount - 1, 0) / grain }
    return unsafe smallClassCount + (Int.bitWidth - (byteCount - 1).leadingZeroBitCount)
  }

  private static func byteCount(ofKind kind: Int) -> Int {
    unsafe kind < smallClassCount ? (kind + 1) * grain : 1 << (kind - smallClassCount)
  }
}
