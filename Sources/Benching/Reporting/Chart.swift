/// Lines over two axes, as an SVG that stands inside a page.
struct Chart: Sendable {
  let horizontal: Axis
  let vertical: Axis
  let lines: [Line]

  /// One line, with the name that its legend shows.
  struct Line: Sendable {
    let name: String
    let points: [(x: Double, y: Double)]
    /// Whether a value holds until the next one.
    var isStepped = false
  }

  private static let (width, height) = (760.0, 300.0)
  private static let (left, right, top, bottom) = (80.0, 40.0, 30.0, 46.0)

  /// The chart with axes, lines and legend. The page's style sheet says how `line0` and its kin look.
  var svg: String {
    let parts = [gridOfVertical, gridOfHorizontal] + lines.indices.map { path(lines[$0], number: $0) } + [legend]
    let titles =
      "<text class=\"title\" x=\"\(Chart.left)\" y=\"14\">\(vertical.title.escaped)</text>"
      + "<text class=\"title\" x=\"\(Chart.width - Chart.right)\" y=\"\(Chart.height - 6)\" text-anchor=\"end\">"
      + "\(horizontal.title.escaped)</text>"
    return "<svg viewBox=\"0 0 \(Int(Chart.width)) \(Int(Chart.height))\" role=\"img\">" + titles + parts.joined() + "</svg>"
  }

  private func x(_ place: Double) -> Double { Chart.left + place * (Chart.width - Chart.left - Chart.right) }
  private func y(_ place: Double) -> Double { Chart.height - Chart.bottom - place * (Chart.height - Chart.top - Chart.bottom) }

  private var gridOfVertical: String {
    vertical.marks.map { mark in
      let height = y(mark.place).decimal(1)
      return "<path class=\"grid\" d=\"M\(x(0)) \(height)H\(x(1))\"/>"
        + "<text x=\"\(Chart.left - 8)\" y=\"\((y(mark.place) + 4).decimal(1))\" text-anchor=\"end\">\(mark.text.escaped)</text>"
    }.joined()
  }

  private var gridOfHorizontal: String {
    horizontal.marks.map { mark in
      let place = x(mark.place).decimal(1)
      return "<path class=\"grid\" d=\"M\(place) \(y(0))V\(y(1))\"/>"
        + "<text x=\"\(place)\" y=\"\(y(0) + 18)\" text-anchor=\"middle\">\(mark.text.escaped)</text>"
    }.joined()
  }

  private func path(_ line: Line, number: Int) -> String {
    var commands = ""
    for point in line.points {
      let (x, y) = (x(horizontal.place(of: point.x)).decimal(1), y(vertical.place(of: point.y)).decimal(1))
      commands += commands.isEmpty ? "M\(x) \(y)" : line.isStepped ? "V\(y)H\(x)" : "L\(x) \(y)"
    }
    return commands.isEmpty ? "" : "<path class=\"line line\(number % 7)\" d=\"\(commands)\"/>"
  }

  private var legend: String {
    guard lines.count > 1 else { return "" }
    return lines.indices.map { number in
      let place = Chart.width - Chart.right - Double(lines.count - number) * 82
      return "<path class=\"line line\(number % 7)\" d=\"M\(place) 10h16\"/>"
        + "<text x=\"\(place + 21)\" y=\"14\">\(lines[number].name.escaped)</text>"
    }.joined()
  }
}

extension String {
  /// The text with what HTML would read as markup escaped.
  var escaped: String {
    reduce(into: "") { text, character in
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.append(character)
      }
    }
  }
}
