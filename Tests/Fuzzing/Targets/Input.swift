/// The bytes that libFuzzer gives a target.
func input(_ start: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
  unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
}
