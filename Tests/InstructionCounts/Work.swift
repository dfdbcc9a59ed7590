/// One kind of work whose instructions are counted; the same seeds and numbers do the same again.
enum Work: String, CaseIterable {
  case parseCheck = "parse-check"
  case parseNamedCheck = "parse-named-check"
  case lookUpCheck = "look-up-check"
  case encodeAnswer = "encode-answer"
  case answerCheck = "answer-check"
  case answerLoneCheck = "answer-lone-check"
  case answerBatchedCheck = "answer-batched-check"
  case foldSingle = "fold-single"
  case foldRenewals = "fold-renewals"
  case foldFamily = "fold-family"
  case foldMember = "fold-member"
  case foldGracePeriod = "fold-grace-period"
  case rebuildCustomer = "rebuild-customer"
  case rebuildRenewals = "rebuild-renewals"
  case applyRecording = "apply-recording"
  case encodeInput = "encode-input"
  case decodeInput = "decode-input"
  case replayRecording = "replay-recording"
  case loadRecord = "load-record"
  case recordTransaction = "record-transaction"
  case answerList = "answer-list"
  case answerHistory = "answer-history"
  case answerShortHistory = "answer-short-history"
  case answerExplanation = "answer-explanation"
  case answerShortExplanation = "answer-short-explanation"

  /// How many times are enough for what differs by chance to be far below one per cent; at most twice as many can be done.
  var times: Int {
    switch self {
    case .parseCheck, .parseNamedCheck, .lookUpCheck, .encodeAnswer, .answerCheck, .answerLoneCheck, .answerBatchedCheck: 16_384
    case .foldSingle, .foldRenewals, .foldFamily, .foldMember, .foldGracePeriod: 512
    case .rebuildCustomer, .rebuildRenewals: 16_000
    case .applyRecording, .encodeInput, .decodeInput, .replayRecording, .loadRecord: 2_048
    case .recordTransaction: 1_024
    case .answerList, .answerHistory, .answerShortHistory, .answerExplanation, .answerShortExplanation: 512
    }
  }

  /// Does the work, and gives a sum that depends on all of it, so that the compiler leaves nothing out.
  func run(times: Int) throws -> Int {
    switch self {
    case .parseCheck: try CheckWorks.parse(times: times, named: false)
    case .parseNamedCheck: try CheckWorks.parse(times: times, named: true)
    case .lookUpCheck: try CheckWorks.lookUp(times: times)
    case .encodeAnswer: CheckWorks.encode(times: times)
    case .answerCheck: try ServiceWorks.answer(times: times, checksInRead: CheckWorks.checksInRead)
    case .answerLoneCheck: try ServiceWorks.answer(times: times, checksInRead: 1)
    case .answerBatchedCheck: try ServiceWorks.answerBatches(times: times)
    case .foldSingle: try HistoryWorks.fold(.single, times: times)
    case .foldRenewals: try HistoryWorks.fold(.renewals, times: times)
    case .foldFamily: try HistoryWorks.fold(.family, times: times)
    case .foldMember: try HistoryWorks.fold(.member, times: times)
    case .foldGracePeriod: try HistoryWorks.fold(.gracePeriod, times: times)
    case .rebuildCustomer: try ServiceWorks.rebuild(filledStore: ServiceWorks.filledStore, times: times)
    case .rebuildRenewals: try ServiceWorks.rebuild(filledStore: ServiceWorks.subscribedStore, times: times)
    case .applyRecording: try HistoryWorks.apply(times: times)
    case .encodeInput: HistoryWorks.encode(times: times)
    case .decodeInput: try HistoryWorks.decode(times: times)
    case .replayRecording: try StartWorks.replay(times: times)
    case .loadRecord: try StartWorks.load(times: times)
    case .recordTransaction: try RecordingWorks.record(times: times)
    case .answerList: try HistoryCallWorks.list(.longRenewals, times: times)
    case .answerHistory: try HistoryCallWorks.history(.longRenewals, times: times)
    case .answerShortHistory: try HistoryCallWorks.history(.single, times: times)
    case .answerExplanation: try HistoryCallWorks.explain(.longRenewals, times: times)
    case .answerShortExplanation: try HistoryCallWorks.explain(.single, times: times)
    }
  }
}
