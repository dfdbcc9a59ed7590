@testable import Journaling

/// Reads a manifest, and a footer, both as given and with the right checksum: what is accepted is the same when it is read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  let given = unsafe UnsafeRawBufferPointer(start: start, count: count)
  unsafe read(given.bytes)
  var repaired = unsafe [UInt8](given.prefix(count > SnapshotFormat.footerBytes ? HeaderFormat.byteCount : count).dropLast(4))
  repaired.pad(to: count > SnapshotFormat.footerBytes ? HeaderFormat.checksumOffset : 0)
  repaired.appendChecksum()
  unsafe read(repaired.span.bytes)
  return 0
}

private func read(_ bytes: RawSpan) {
  if let manifest = try? Manifest.decode(bytes, file: "") {
    let again = unsafe try? Manifest.decode(manifest.encoded().span.bytes, file: "")
    precondition(again == manifest, "what was written means something else")
  }
  for kind in [FileKind.segment, .snapshot] { _ = try? HeaderBlock.decode(bytes, kind: kind, store: nil, file: "") }
  if let footer = SnapshotFooter.decode(bytes) {
    precondition(unsafe SnapshotFooter.decode(footer.encoded().span.bytes) == footer, "a footer is written differently")
  }
}
