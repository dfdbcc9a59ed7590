import Platform
import Testing

/// Works that are put off.
@Suite struct PutOffTests {
  @Test("Works that a body puts off run in their order once it has ended")
  func order() {
    var done: [Int] = []
    PutOff.untilEnd {
      PutOff.orRun { done.append(2) }
      PutOff.orRun { done.append(3) }
      done.append(1)
    }
    #expect(done == [1, 2, 3])
  }

  @Test("Where nothing is put off, a work runs at once, also after a body that did")
  func atOnce() {
    var done: [Int] = []
    PutOff.orRun { done.append(1) }
    #expect(done == [1])
    PutOff.untilEnd { PutOff.orRun { done.append(2) } }
    PutOff.orRun { done.append(3) }
    #expect(done == [1, 2, 3])
  }

  @Test("A body within another one has works of its own")
  func nested() {
    var done: [Int] = []
    PutOff.untilEnd {
      PutOff.orRun { done.append(3) }
      PutOff.untilEnd { PutOff.orRun { done.append(1) } }
      PutOff.orRun { done.append(4) }
      done.append(2)
    }
    #expect(done == [1, 2, 3, 4])
  }

  @Test("What one thread puts off is nothing to another one")
  func threads() {
    let done = AwaitedValue(false)
    PutOff.untilEnd {
      let thread = try? Thread(named: "other") { PutOff.orRun { done.update { $0 = true } } }
      #expect(done.wait { $0 ? true : nil })
      thread?.join()
    }
  }
}
