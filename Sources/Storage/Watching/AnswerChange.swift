import Entitlements

/// An answer that is another one from a position on: any of reason, end and ownership differs.
package struct AnswerChange: Hashable, Sendable {
  package var customer: CustomerID
  package var entitlement: Identifier
  package var answer: AccessBlock.Answer
}

/// The changes of one position, or a part of them.
package struct ChangeGroup: Hashable, Sendable {
  package var position: ChangePosition
  package var changes: [AnswerChange] = []
  /// Whether no more changes of this position follow.
  package var isWhole = true
}

extension ChangeGroup: Kept {
  var byteCount: Int { changes.reduce(64) { $0 + 64 + $1.customer.byteCount + $1.entitlement.byteCount } }
}

/// One customer's compiled answers before and after a publication; nil while they hold nothing.
struct PublishedChange: Sendable {
  var customer: CustomerID
  var before: [UInt64]?
  var after: [UInt64]?

  /// - Parameter after: as an `AccessBlockWriter` has them.
  init(customer: CustomerID, before: [UInt64]?, after: [UInt64]?) {
    self.customer = customer
    self.before = before
    self.after = AccessBlockWriter.kept(after)
  }
}

extension EntitlementNames {
  /// What answers a customer's other way, in the order of the entitlements' names.
  ///
  /// - Parameters:
  ///   - before: compiled answers, of which those at `earlier` were the last ones known, in milliseconds since 1970.
  ///   - after: compiled answers, of which those at `later` are asked for.
  func changes(of customer: CustomerID, from before: [UInt64]?, at earlier: Int64, to after: [UInt64]?, at later: Int64)
    -> [AnswerChange]
  {
    unsafe AccessBlock.with(before) { before in
      unsafe AccessBlock.with(after) { after in
        let numbers = unsafe Set((before?.names ?? []) + (after?.names ?? []))
        let changes = numbers.compactMap { number -> AnswerChange? in
          let old = unsafe before?.answer(name: number, at: earlier) ?? .unknownCustomer
          let new = unsafe after?.answer(name: number, at: later) ?? .unknownCustomer
          return old == new ? nil : AnswerChange(customer: customer, entitlement: name(of: number), answer: new)
        }
        return changes.sorted { $0.entitlement < $1.entitlement }
      }
    }
  }

  /// Every answer of a customer at a moment, in the order of the entitlements' names.
  func answers(of customer: CustomerID, in words: [UInt64], at moment: Int64) -> [AnswerChange] {
    unsafe AccessBlock.with(words) { block in
      guard let block = unsafe block else { return [] }
      let answers = unsafe block.names.map { number in
        unsafe AnswerChange(customer: customer, entitlement: name(of: number), answer: block.answer(name: number, at: moment))
      }
      return answers.sorted { $0.entitlement < $1.entitlement }
    }
  }
}

extension AccessBlock {
  /// Runs the body with a block over words that outlive it; nil for none.
  static func with<Result>(_ words: [UInt64]?, _ body: (AccessBlock?) -> Result) -> Result {
    guard let words else { return body(nil) }
    return unsafe words.withUnsafeBytes { bytes in
      // A block is only ever read, and words that make one are never none.
      unsafe body(bytes.baseAddress.map { base in unsafe AccessBlock(base: UnsafeMutableRawPointer(mutating: base)) })
    }
  }

  /// The first moment after another at which some answer may change, in milliseconds since 1970; nil for none.
  func boundary(after moment: Int64) -> Int64? {
    var next: Int64?
    for index in unsafe 0..<entryCount {
      let timeline = unsafe timelineOffset(ofEntry: index)
      guard let from = unsafe boundary(after: moment, ofTimeline: timeline) else { continue }
      next = min(next ?? from, from)
    }
    return next
  }

  private func boundary(after moment: Int64, ofTimeline timeline: Int) -> Int64? {
    let count = unsafe segmentCount(ofTimeline: timeline)
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) >> 1
      if unsafe from(ofSegment: middle, ofTimeline: timeline) <= moment { low = middle + 1 } else { high = middle }
    }
    return low < count ? unsafe from(ofSegment: low, ofTimeline: timeline) : nil
  }
}
