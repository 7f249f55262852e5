// swift-tools-version:6.0
import PackageDescription

let package = Package(
    name: "PosternFirebase",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8), .macCatalyst(.v15), .visionOS(.v1)],
    products: [.library(name: "PosternFirebase", targets: ["PosternFirebase"])],
    targets: [
        .target(name: "PosternFirebase"),
        .testTarget(name: "PosternFirebaseTests", dependencies: ["PosternFirebase"]),
    ]
)
