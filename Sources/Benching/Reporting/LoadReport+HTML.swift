extension LoadReport {
  /// The report as one page that needs nothing else: no script, no font, no picture, no address.
  ///
  /// - Parameter date: when the load was made, in words.
  package func html(date: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Load on \(result.plan.language.name), \(date.escaped)</title>
    <style>\(LoadReport.style)</style>
    </head>
    <body>
    <h1>Load on \(result.plan.language.name)</h1>
    <p>\(date.escaped)</p>
    \(warnings.map { "<p class=\"warning\">\($0.escaped)</p>" }.joined(separator: "\n"))
    <div class="tiles">\(tiles)</div>
    <h2>Latency by percentile</h2>
    \(latencyChart.svg)
    <p>\(LoadReport.explanation(isOpen: wantedRate != nil))</p>
    \(latencyTable)
    <h2>Throughput</h2>
    \(throughputChart.svg)
    <h2>Latency over time</h2>
    \(timeChart.svg)
    <h2>Settings and costs</h2>
    \(factTable)
    </body>
    </html>

    """
  }

  private static func explanation(isOpen: Bool) -> String {
    isOpen
      ? "An open loop: a call's latency counts from the moment at which it was due, whether or not it could be made then."
      : "A closed loop: a call is made when another was answered, so that a slow server is asked less. For the latency at a rate, "
        + "set --rate."
  }

  // MARK: Figures

  private var tiles: String {
    let latencies = result.latencies
    let failed = result.tally.failureCount + result.unanswered + result.unsent
    let tiles = [
      ("answers a second", result.rate.grouped), ("p50", latencies.value(at: 0.5).asDuration),
      ("p99", latencies.value(at: 0.99).asDuration), ("p99.9", latencies.value(at: 0.999).asDuration),
      ("maximum", latencies.maximum.asDuration), ("failed", failed.grouped),
    ]
    return tiles.map { "<div><b>\($0.1)</b>\($0.0)</div>" }.joined()
  }

  private var latencyTable: String {
    let heads = ["", "calls"] + LoadReport.shares.map(\.name) + ["maximum", "mean"]
    let kinds = result.latenciesByKind.count > 1 ? result.latenciesByKind.map { ($0.kind.name, $0.latencies) } : []
    let rows = ([("all", result.latencies)] + kinds).map { name, latencies in
      [name, Int(latencies.count).grouped] + LoadReport.figures(latencies)
    }
    return LoadReport.table([heads] + rows)
  }

  private var factTable: String {
    let failures = result.tally.failures.merging(result.tally.verdicts.failures, uniquingKeysWith: +)
    let facts = settings.map { ($0.name, $0.value) } + costs.filter { !$0.1.isEmpty }
    let statuses = failures.sorted { $0.key < $1.key }.map { ("failed with \($0.key)", $0.value.grouped) }
    return LoadReport.table((facts + statuses).map { [$0.0, $0.1] })
  }

  private static func table(_ rows: [[String]]) -> String {
    let lines = rows.map { row in "<tr>" + row.map { "<td>\($0.escaped)</td>" }.joined() + "</tr>" }
    return "<table>\n\(lines.joined(separator: "\n"))\n</table>"
  }

  // MARK: Charts

  private var latencyChart: Chart {
    let kinds = result.latenciesByKind.map { ($0.kind.name, $0.latencies) }
    let histograms = kinds.count > 1 ? [("all", result.latencies)] + kinds : [("all", result.latencies)]
    let shares = Axis.shares("share of the calls that took no longer", of: result.latencies.count)
    return Chart(
      horizontal: shares,
      vertical: .linear("latency", upTo: Double(result.latencies.maximum)) { UInt64($0).asDuration },
      lines: histograms.map { Chart.Line(name: $0.0, points: LoadReport.points(of: $0.1, on: shares)) })
  }

  /// The points of a latency curve, without those that would lie on others.
  private static func points(of histogram: Histogram, on axis: Axis) -> [(x: Double, y: Double)] {
    var last = -1.0
    var points: [(x: Double, y: Double)] = []
    for (value, share) in histogram.curve where axis.place(of: share) - last > 0.001 || share == 1 {
      if points.isEmpty { points.append((0, Double(value))) }
      points.append((share, Double(value)))
      last = axis.place(of: share)
    }
    return points
  }

  /// The seconds that charts show: those after the end only where answers were late by more than one.
  private var shownSeconds: [LoadSecond] {
    result.seconds.count { $0.isAfterEnd } > 1 ? result.seconds : result.seconds.filter { !$0.isAfterEnd }
  }

  private var timeAxis: Axis {
    .linear("seconds", upTo: Double(max(shownSeconds.count, 1))) { $0.decimal(shownSeconds.count < 5 ? 1 : 0) }
  }

  private func line(_ name: String, isStepped: Bool = false, _ figure: (LoadSecond) -> Double) -> Chart.Line {
    let points = shownSeconds.map { (x: Double($0.second) + (isStepped ? 1 : 0.5), y: figure($0)) }
    let begin = isStepped ? points.first.map { [(x: 0.0, y: $0.y)] } ?? [] : []
    return Chart.Line(name: name, points: begin + points, isStepped: isStepped)
  }

  private var throughputChart: Chart {
    let greatest = shownSeconds.map { max($0.answers, $0.failures) }.max() ?? 0
    let failures = result.tally.failureCount > 0 ? [line("failed", isStepped: true) { Double($0.failures) }] : []
    return Chart(
      horizontal: timeAxis, vertical: .linear("answers a second", upTo: Double(max(greatest, 1))) { $0.grouped },
      lines: [line("answers", isStepped: true) { Double($0.answers) }] + failures)
  }

  private var timeChart: Chart {
    let medians = shownSeconds.map(\.median).filter { $0 > 0 }
    return Chart(
      horizontal: timeAxis,
      vertical: .logarithmic(
        "latency", from: Double(medians.min() ?? 1), upTo: Double(max(shownSeconds.map(\.maximum).max() ?? 1, 1))
      ) { UInt64($0).asDuration },
      lines: [
        line("p50") { Double($0.median) }, line("p99") { Double($0.percentile99) }, line("maximum") { Double($0.maximum) },
      ])
  }

  // MARK: Style

  private static let style = """
    :root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#d8dee4;--soft:#59636e;
    --c0:#0969da;--c1:#bc4c00;--c2:#1a7f37;--c3:#8250df;--c4:#bf3989;--c5:#9a6700;--c6:#cf222e}
    @media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--faint:#30363d;--soft:#9198a1;
    --c0:#4493f8;--c1:#f0883e;--c2:#3fb950;--c3:#ab7df8;--c4:#db61a2;--c5:#d29922;--c6:#f85149}}
    body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2em auto;padding:0 1em;color:var(--ink);background:var(--paper)}
    h1{margin-bottom:0}h1+p{margin-top:0;color:var(--soft)}h2{margin:1.8em 0 .4em;font-size:1.15em}
    .tiles{display:flex;flex-wrap:wrap;gap:.6em}.tiles div{flex:1;min-width:7em;padding:.6em .8em;border:1px solid var(--faint);
    border-radius:6px;color:var(--soft);font-size:.85em}.tiles b{display:block;font-size:1.5em;color:var(--ink);white-space:nowrap}
    .warning{border-left:4px solid var(--c1);padding:.3em .8em;background:color-mix(in srgb,var(--c1) 10%,transparent)}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}td{padding:.25em .5em;border-bottom:1px solid var(--faint)}
    td+td{text-align:right}svg{width:100%;height:auto}svg text{fill:var(--soft);font:11px system-ui,sans-serif}
    svg .title{fill:var(--ink)}.grid{stroke:var(--faint);fill:none}.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
    .line0{stroke:var(--c0)}.line1{stroke:var(--c1)}.line2{stroke:var(--c2)}.line3{stroke:var(--c3)}.line4{stroke:var(--c4)}
    .line5{stroke:var(--c5)}.line6{stroke:var(--c6)}
    """
}
