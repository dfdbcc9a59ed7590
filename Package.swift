// swift-tools-version: 6.2
// The map of the code: targets in dependency order, each a wall that the compiler keeps.

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
]

/// A library target of this package under `Sources/<name>`.
func room(_ name: String, uses dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

/// The tests of one target, under `Tests/<name>Tests` unless a path is given.
func tests(_ name: String, uses dependencies: [Target.Dependency] = [], path: String? = nil) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies, path: path,
    swiftSettings: settings)
}

let package = Package(
  name: "latchkey",
  products: [
    .executable(name: "latchkey", targets: ["latchkey"]),
    .library(name: "LatchkeyClient", targets: ["LatchkeyClient", "LatchkeyWire", "Protobuf"]),
  ],
  targets: [
    // Pure values: no input or output, no clock.
    room("Entitlements"),
    room("JSON"),
    room("AppStore", uses: ["Entitlements", "JSON"]),

    // Values to bytes and back, total over any bytes.
    room("Protobuf"),
    room("LatchkeyWire", uses: ["Protobuf"]),

    // The only room with system calls, and what stands on it.
    .systemLibrary(name: "CLinux"),
    room("Platform", uses: ["CLinux"]),
    room("Journaling", uses: ["Platform"]),
    room("Storage", uses: ["CLinux", "Entitlements", "JSON", "Journaling", "LatchkeyWire", "Platform", "Protobuf"]),
    room("Server", uses: ["LatchkeyWire", "Platform"]),

    // One request to one response: knows no sockets.
    room("Service", uses: ["AppStore", "Entitlements", "JSON", "Journaling", "LatchkeyWire", "Platform", "Protobuf", "Storage"]),

    // Load on a server from outside, and what it showed: knows no command line.
    room("Benching", uses: ["JSON", "LatchkeyWire", "Platform", "Protobuf"]),

    // What users touch.
    room("LatchkeyClient", uses: ["CLinux", "LatchkeyWire", "Protobuf"], path: "clients/swift/Sources"),
    .executableTarget(
      name: "latchkey",
      dependencies: [
        "AppStore", "Benching", "Entitlements", "JSON", "Journaling", "LatchkeyClient", "LatchkeyWire", "Platform", "Protobuf",
        "Server", "Service", "Storage",
      ],
      swiftSettings: settings),

    room("TestSupport", uses: ["Platform"], path: "Tests/TestSupport"),
    // Works whose instructions are counted; built in release for `Tests/InstructionCounts/compare`.
    .executableTarget(
      name: "InstructionCounts",
      dependencies: ["Entitlements", "LatchkeyWire", "Platform", "Protobuf", "Service", "Storage", "TestSupport"],
      path: "Tests/InstructionCounts", exclude: ["compare", "recorded.json"], swiftSettings: settings),
    tests("Entitlements"),
    tests("JSON"),
    tests("AppStore", uses: ["Entitlements", "JSON"]),
    tests("LatchkeyWire", uses: ["Protobuf"]),
    tests("Platform"),
    tests("Journaling", uses: ["Platform"]),
    tests("Storage", uses: ["Entitlements", "Journaling", "Platform"]),
    tests("Server", uses: ["LatchkeyWire", "Platform"]),
    tests("Service", uses: ["AppStore", "Entitlements", "JSON", "LatchkeyWire", "Platform", "Protobuf", "Storage"]),
    tests("Benching", uses: ["JSON", "LatchkeyWire", "Platform"]),
    tests("LatchkeyClient", uses: ["LatchkeyWire", "Protobuf"], path: "clients/swift/Tests"),
    .testTarget(
      name: "EndToEndTests",
      dependencies: ["latchkey", "Entitlements", "JSON", "LatchkeyClient", "LatchkeyWire", "Protobuf", "TestSupport"],
      swiftSettings: settings),
  ]
)
