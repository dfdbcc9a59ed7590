import Glibc

/// Does one work a number of times, so that the instructions of two numbers tell those of one time: `compare` asks valgrind.
///
///     InstructionCounts                 lists the works, each with a number of times that is enough
///     InstructionCounts <work> <times>  does one, and prints a sum that depends on all that was done
@main
enum InstructionCounts {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    guard !words.isEmpty else {
      for work in Work.allCases { print(work.rawValue, work.times) }
      return
    }
    guard words.count == 2, let work = words.first.flatMap(Work.init), let times = words.last.flatMap({ Int($0) }),
      (0...2 * work.times).contains(times)
    else {
      print("expected the name of a work, and at most twice its number of times")
      exit(64)
    }
    print(try work.run(times: times))
  }
}
