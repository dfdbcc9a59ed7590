/// How the best of some grounds stands, from moment to moment: what answers at each.
///
/// Grounds are added one after the other. Each is a few pieces, which are merged with what there is: of two that stand at the same
/// moment the better one is kept. Transactions that follow each other change the last pieces only, whatever came before.
struct Standings: Sendable {
  /// How a ground stands from one moment to the next piece.
  struct Piece: BitwiseCopyable {
    let from: Moment
    let standing: Standing
    /// Nil of a grant.
    let isShared: Bool?
    let transactionID: PackedIdentifier

    /// Whether the same ground stands the same, whenever that begins.
    @inline(__always)
    func isSame(as other: Piece) -> Bool {
      standing == other.standing && transactionID == other.transactionID && isShared == other.isShared
    }
  }

  /// In order, the first one in the distant past.
  private var pieces = ReusedList<Piece>()
  /// Of the ground that is being added.
  private var added = ReusedList<Piece>()
  /// Those from which on something is being added.
  private var tail = ReusedList<Piece>()
  /// The pieces of grounds that are added at the end, and where those of each are.
  private var latePieces = ReusedList<Piece>()
  private var late: [Range<Int>] = []
  /// How the best of those stands that always stand alike.
  private var constant: Standing?

  /// How many of the last pieces a ground may change at once. One that begins before more of them is added at the end, with others of
  /// its kind in order, so that thousands in any order cost a sort.
  private static let tailLimit = 16

  private static let notYetValid = Standing(reason: .notYetValid)

  /// Forgets all of it, and keeps the room.
  @inline(__always)
  mutating func removeAll() {
    pieces.removeAll()
    constant = nil
  }
}

// MARK: - Grounds

extension Standings {
  /// Adds a ground that never gives access, and always stands alike: it answers only where there is no other one.
  mutating func add(always standing: Standing) {
    guard let best = constant, !best.isBehind(standing, yields: { false }) else { return constant = standing }
  }

  /// Adds a transaction that grants by its moments.
  mutating func add(_ times: TransactionAccess.Times, isShared: Bool, _ id: PackedIdentifier, _ texts: TextStore) {
    beginIfEmpty()
    if times.isPeriod, addAtEnd(times, isShared, id, texts) { return }
    added.removeAll()
    if times.start == .distantPast { add(Piece(times, from: .distantPast, isShared, id)) }
    times.forEachBoundary { add(Piece(times, from: $0, isShared, id)) }
    mergeAdded(texts)
  }

  /// Adds an operator's grant.
  mutating func add(_ grant: GrantAccess, _ texts: TextStore) {
    beginIfEmpty()
    added.removeAll()
    add(Piece(from: .distantPast, standing: grant.standing(at: .distantPast), isShared: nil, transactionID: .none))
    grant.forEachBoundary { add(Piece(from: $0, standing: grant.standing(at: $0), isShared: nil, transactionID: .none)) }
    mergeAdded(texts)
  }

  /// Makes the first piece: whatever is added isn't valid before it is.
  @inline(__always)
  private mutating func beginIfEmpty() {
    guard pieces.isEmpty else { return }
    pieces.append(Piece(from: .distantPast, standing: Standings.notYetValid, isShared: nil, transactionID: .none))
  }

  /// Adds a transaction that answers from its start on, and overlaps with one before it at most, as a renewal does; says whether it is
  /// one. Most are, and aren't worth a merge.
  @inline(__always)
  private mutating func addAtEnd(
    _ times: TransactionAccess.Times, _ isShared: Bool, _ id: PackedIdentifier, _ texts: TextStore
  ) -> Bool {
    let period = Piece(times, from: times.start, isShared, id)
    let end = times.end == .distantFuture ? nil : Piece(times, from: times.end, isShared, id)
    var place = pieces.count - 1
    let last = pieces[place]
    guard Standings.isBehind(last, period, texts), end.map({ Standings.isBehind(last, $0, texts) }) ?? true else { return false }
    if last.from > period.from {
      place -= 1
      let before = pieces[place]
      guard last.from <= times.end, before.from <= period.from, Standings.isBehind(before, period, texts) else { return false }
    }
    pieces.removeAll(from: pieces[place].from < period.from ? place + 1 : place)
    pieces.append(period)
    if let end { pieces.append(end) }
    return true
  }

  /// Adds a ground as a value, unless it could never have granted.
  mutating func add(_ ground: AccessGround, _ texts: inout TextStore) {
    switch ground {
    case .grant(let access): add(access, texts)
    case .transaction(let access):
      switch access.kind {
      case .nothing: return
      case .consumable: add(always: Standing(reason: .consumable))
      case .upgraded: add(always: Standing(reason: .upgraded))
      case .timed(let times): add(times, isShared: access.isShared, texts.pack(access.transactionID), texts)
      }
    }
  }

  /// Adds a piece of a ground. What isn't valid yet never changes what there is.
  @inline(__always)
  private mutating func add(_ piece: Piece) {
    if piece.standing == Standings.notYetValid { return }
    if added.isEmpty || added[added.count - 1].from < piece.from { added.append(piece) } else { insertAdded(piece) }
  }

  /// Inserts a piece before those that begin later, unless it came already.
  private mutating func insertAdded(_ piece: Piece) {
    var place = added.count
    while place > 0, added[place - 1].from > piece.from { place -= 1 }
    if place > 0, added[place - 1].from == piece.from { return }
    added.append(piece)
    for index in (place..<added.count - 1).reversed() { added[index + 1] = added[index] }
    added[place] = piece
  }

  private mutating func mergeAdded(_ texts: TextStore) {
    if added.isEmpty { return }
    let place = place(at: added[0].from)
    if pieces.count - place <= Standings.tailLimit { return merge(added, 0..<added.count, from: place, texts) }
    let start = latePieces.count
    for index in 0..<added.count { latePieces.append(added[index]) }
    late.append(start..<latePieces.count)
  }
}

// MARK: - Merging

extension Standings {
  /// Adds what was put off, and what answers where nothing can ever give access.
  mutating func finish(_ texts: TextStore) {
    if !late.isEmpty { mergeLate(texts) }
    guard pieces.isEmpty, let constant else { return }
    pieces.append(Piece(from: .distantPast, standing: constant, isShared: nil, transactionID: .none))
  }

  /// Adds the answers to those of a customer, as those of some entitlements.
  mutating func answer(in access: inout CustomerAccess, of list: EntitlementList) {
    if pieces.isEmpty { access.append(.denied(.neverOwned), from: .distantPast) }
    for index in 0..<pieces.count {
      let piece = pieces[index]
      access.append(Decision(piece.standing, isShared: piece.isShared), from: piece.from)
    }
    access.endTimeline(of: list)
  }

  /// Merges with others that are finished.
  mutating func merge(_ other: Standings, _ texts: TextStore) {
    if pieces.isEmpty {
      for index in 0..<other.pieces.count { pieces.append(other.pieces[index]) }
    } else if !other.pieces.isEmpty {
      merge(other.pieces, 0..<other.pieces.count, from: 0, texts)
    }
  }

  private mutating func mergeLate(_ texts: TextStore) {
    var other = Standings()
    other.pieces.append(pieces[0])
    late.sort { latePieces[$0.lowerBound].from < latePieces[$1.lowerBound].from }
    for range in late { other.merge(latePieces, range, from: other.place(at: latePieces[range.lowerBound].from), texts) }
    late = []
    latePieces.removeAll()
    merge(other, texts)
  }

  /// The piece that holds at a moment.
  @inline(__always)
  private func place(at moment: Moment) -> Int {
    var place = pieces.count - 1
    while pieces[place].from > moment { place -= 1 }
    return place
  }

  /// Merges with pieces of others, of which the first one begins while the piece at a place holds.
  private mutating func merge(_ others: ReusedList<Piece>, _ range: Range<Int>, from place: Int, _ texts: TextStore) {
    tail.removeAll()
    for index in place..<pieces.count { tail.append(pieces[index]) }
    var mine = Place(in: tail, at: 0, until: tail.count)
    var theirs = Place(in: others, at: range.lowerBound, until: range.upperBound)
    var from = theirs.piece.from
    pieces.removeAll(from: mine.piece.from < from ? place + 1 : place)
    while true {
      append(Standings.isBehind(mine.piece, theirs.piece, texts) ? theirs.piece : mine.piece, from)
      from = min(mine.end, theirs.end)
      if from == .distantFuture { return }
      if mine.end == from { mine.goOn(in: tail) }
      if theirs.end == from { theirs.goOn(in: others) }
    }
  }

  /// Where a merge is in one of two lists of pieces.
  private struct Place {
    private(set) var piece: Piece
    /// Until when the piece holds.
    private(set) var end: Moment
    private var next: Int
    private let last: Int

    @inline(__always)
    init(in pieces: ReusedList<Piece>, at index: Int, until end: Int) {
      (piece, next, last) = (pieces[index], index + 1, end)
      self.end = index + 1 < end ? pieces[index + 1].from : .distantFuture
    }

    @inline(__always)
    mutating func goOn(in pieces: ReusedList<Piece>) {
      self = Place(in: pieces, at: next, until: last)
    }
  }

  /// Adds what holds from a moment on, unless it does already.
  @inline(__always)
  private mutating func append(_ piece: Piece, _ from: Moment) {
    if !pieces.isEmpty, pieces[pieces.count - 1].isSame(as: piece) { return }
    pieces.append(Piece(from: from, standing: piece.standing, isShared: piece.isShared, transactionID: piece.transactionID))
  }

  @inline(__always)
  private static func isBehind(_ one: Piece, _ other: Piece, _ texts: TextStore) -> Bool {
    one.standing.isBehind(other.standing) { yields(one, to: other, texts) }
  }

  /// Rarely asked, and so kept out of the way of what is asked for each piece.
  @inline(never)
  private static func yields(_ one: Piece, to other: Piece, _ texts: TextStore) -> Bool {
    AccessGround.yields(one.isShared, to: other.isShared) {
      texts.unpack(one.transactionID).isLesserTransactionID(than: texts.unpack(other.transactionID))
    }
  }
}

extension Standings.Piece {
  /// How a transaction stands from a moment on.
  @inline(__always)
  fileprivate init(_ times: TransactionAccess.Times, from moment: Moment, _ isShared: Bool, _ id: PackedIdentifier) {
    self.init(from: moment, standing: times.standing(at: moment, isShared: isShared), isShared: isShared, transactionID: id)
  }
}

extension TransactionAccess.Times {
  /// Whether it is no more than a period that begins, and ends or not.
  @inline(__always)
  fileprivate var isPeriod: Bool {
    revocation == nil && sharedRefund == nil && expires == end && .distantPast < start && start < end
  }
}
