// swift-tools-version:6.2
import PackageDescription

/// CI sets the variable, so that a newcomer's build never stops on a warning of a newer compiler.
let warningsAreErrors = Context.environment["POSTERN_WARNINGS_AS_ERRORS"] == "1"

let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let orderedCollections = Target.Dependency.product(name: "OrderedCollections", package: "swift-collections")
let swiftASN1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

/// The languages of the texts; `EmailLanguage` lists them too.
let languages = ["en", "fr", "es", "de", "ja", "zh", "ar", "bn"]

/// The pages of `Docs/SDKs` whose steps the console shows. `Sources/Console/Connect` has a link to each.
let sdkPages = ["Web", "iOS", "Android", "Flutter", "AdminNode", "AdminPython", "AdminGo", "AdminJava", "Curl"]

let package = Package(
    name: "postern",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "postern", targets: ["postern"]),
        // The benchmark loads it into a server.
        .library(name: "CountingMalloc", type: .dynamic, targets: ["CountingMalloc"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.10.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    ],
    targets: [
        // Each target may import only those below it; Docs/Architecture.md draws the walls.
        .executableTarget(
            name: "postern",
            dependencies: [
                "Server", "UserFiles", "Settings", "Console", "HTTPAPI", "Accounts", "Tenancy", "Federation", "Tokens",
                "Passwords",
                "Storage", "Project", logging, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Server",
            dependencies: [
                "UserFiles", "Settings", "Console", "HTTPAPI", "Accounts", "Tenancy", "Federation", "Messaging", "ObjectStore",
                "Tokens", "CResolv",
                "Passwords", "Storage", "Project", hummingbird, .product(name: "HummingbirdCore", package: "hummingbird"),
                asyncHTTPClient,
                nioCore, nioPosix, nioSSL, nioHTTP2, nioHTTPTypes, httpTypes, lifecycle, logging,
                metrics, tracing,
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOCertificateReloading", package: "swift-nio-extras"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Settings",
            dependencies: ["Federation", "Project", logging, yams],
            swiftSettings: settings
        ),
        .target(
            name: "UserFiles",
            dependencies: ["HTTPAPI", "Accounts", "Storage", "Project", crypto],
            swiftSettings: settings
        ),
        // The operators' console: pages for browsers, over the same use cases as the endpoints.
        .target(
            name: "Console",
            dependencies: [
                "UserFiles", "HTTPAPI", "Settings", "Accounts", "Tenancy", "Federation", "Messaging", "WebAuthn", "Tokens",
                "Storage",
                "Project", hummingbird, nioCore, lifecycle, httpTypes, logging,
            ],
            resources: languages.map { .embedInCode("Texts/\($0).json") }
                + ["console.css", "passkeys.js", "enhance.js", "live.js", "upload.js", "continue.js"].map {
                    .embedInCode("Assets/\($0)")
                } + sdkPages.map { .embedInCode("Connect/\($0).md") },
            swiftSettings: settings
        ),
        .target(
            name: "HTTPAPI",
            dependencies: [
                "Accounts", "Settings", "Tenancy", "Federation", "Messaging", "WebAuthn", "Tokens", "Passwords", "Storage",
                "Project",
                hummingbird,
                nioCore,
                logging, metrics, tracing, httpTypes,
            ],
            resources: languages.map { .embedInCode("Pages/Texts/\($0).json") }
                + ["handler.js", "iframe.js", "widget.js"].map {
                    .embedInCode("Pages/Handler/Scripts/\($0)")
                },
            swiftSettings: settings
        ),
        .target(
            name: "Accounts",
            dependencies: [
                "Settings", "Tenancy", "Federation", "SAML", "Messaging", "WebAuthn", "Tokens", "Passwords", "Storage", "Project",
                logging, metrics,
            ],
            swiftSettings: settings
        ),
        // Projects, tenants and their configuration; it knows nothing of accounts.
        .target(
            name: "Tenancy",
            dependencies: ["Federation", "Tokens", "Passwords", "Storage", "Project", crypto, logging, orderedCollections],
            swiftSettings: settings
        ),
        .target(
            name: "Federation",
            dependencies: ["SAML", "Tokens", "Project", crypto, cryptoExtras, logging, x509, swiftASN1],
            swiftSettings: settings
        ),
        // Verifies SAML responses and writes requests; it knows nothing of providers' configurations.
        .target(name: "SAML", dependencies: ["Project", "CSAML", crypto, cryptoExtras], swiftSettings: settings),
        // What Swift cannot call of libxml2, libxmlsec1 and zlib: macros, and functions that call back.
        .target(
            name: "CSAML",
            dependencies: ["CLibXML2", "COpenSSL", "CZlib"],
            // The library's pkg-config has definitions besides, about which every build would be warned.
            cSettings: [.unsafeFlags(["-I/usr/include/xmlsec1"])],
            linkerSettings: [.linkedLibrary("xmlsec1-openssl"), .linkedLibrary("xmlsec1")]
        ),
        .target(
            name: "Messaging",
            dependencies: ["Storage", "Project", "CCurl", mustache, lifecycle, logging, tracing],
            resources: languages.map { .embedInCode("Templates/Texts/\($0).json") } + [
                .embedInCode("Templates/Texts/layout.html"), .embedInCode("Templates/Texts/layout.txt"),
            ],
            swiftSettings: settings
        ),
        // A client of object stores that speak S3's API; it knows nothing of backups.
        .target(name: "ObjectStore", dependencies: ["Project", "CCurl", crypto], swiftSettings: settings),
        // The ceremonies of passkeys; it knows nothing of accounts.
        .target(
            name: "WebAuthn",
            dependencies: ["Tokens", "Project", crypto, cryptoExtras],
            swiftSettings: settings
        ),
        .target(
            name: "Tokens",
            dependencies: [
                "Storage", "Project", "COpenSSL", crypto, cryptoExtras, jwtKit, logging,
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Passwords",
            dependencies: ["Project", "CArgon2", "CCrypt", crypto, cryptoExtras],
            swiftSettings: settings
        ),
        .target(
            name: "Storage",
            dependencies: [
                "Project", "Migrations", "CLibPQ", logging, metrics, tracing,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Project",
            dependencies: ["CZlib", crypto, logging, metrics, tracing, orderedCollections],
            swiftSettings: settings
        ),
        .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        // Only tests, the walk-through and the benchmark know what stands below.
        .target(
            name: "TestKit",
            dependencies: [
                "Project", "CLibPQ", "CSpawn", "CZlib", jwtKit, crypto, cryptoExtras, hummingbird, asyncHTTPClient, nioCore,
                nioPosix,
                nioSSL, nioHPACK,
                lifecycle,
                .product(name: "HummingbirdHTTP2", package: "hummingbird"), logging, httpTypes, x509, swiftASN1,
            ],
            path: "Tests/TestKit",
            exclude: ["S3/s3_server.py", "SMTP/smtp_server.py"],
            swiftSettings: settings
        ),
        // Identity providers that answer requests, honestly or not.
        .target(
            name: "SAMLTestKit",
            dependencies: ["SAML", "CSAML", "CZlib", "Project", crypto, cryptoExtras, x509, swiftASN1],
            path: "Tests/SAMLTestKit",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "loopback-idp",
            dependencies: ["TestKit", lifecycle, logging, .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/LoopbackIDP",
            swiftSettings: settings
        ),
        // An example of the documentation, which the tests run.
        .executableTarget(
            name: "verify-id-tokens",
            dependencies: [jwtKit, asyncHTTPClient],
            path: "Examples/verify/swift"
        ),
        .executableTarget(
            name: "postern-bench",
            dependencies: [
                "PerformanceTable", "TestKit", "SAML", "SAMLTestKit", "CSAML", "CArgon2", "Tokens", "Storage", "Project",
                hummingbird, crypto, cryptoExtras,
                nioCore, logging, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Benchmarks",
            exclude: ["CountingMalloc", "PerformanceTable", "tools.sh"],
            swiftSettings: settings
        ),
        .target(name: "PerformanceTable", path: "Benchmarks/PerformanceTable", swiftSettings: settings),
        .target(name: "CountingMalloc", path: "Benchmarks/CountingMalloc"),
        .testTarget(name: "PerformanceTableTests", dependencies: ["PerformanceTable", "TestKit"], swiftSettings: settings),
        .testTarget(name: "ProjectTests", dependencies: ["Project", "TestKit", logging], swiftSettings: settings),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Storage", "Migrations", "Project", "TestKit", logging,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StorageConformanceTests",
            dependencies: ["Storage", "Migrations", "Project", "TestKit", logging],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PasswordsTests",
            dependencies: ["Passwords", "Project", "TestKit", "CArgon2"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TokensTests",
            dependencies: ["Tokens", "Storage", "Project", "TestKit", cryptoExtras, crypto, jwtKit],
            swiftSettings: settings
        ),
        .testTarget(name: "WebAuthnTests", dependencies: ["WebAuthn", "Project", "TestKit"], swiftSettings: settings),
        .testTarget(
            name: "FederationTests",
            dependencies: ["Federation", "Tokens", "Project", "TestKit", crypto, cryptoExtras, logging],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SAMLTests",
            dependencies: ["SAML", "SAMLTestKit", "Project", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MessagingTests",
            dependencies: ["Messaging", "Storage", "Project", "TestKit", lifecycle, logging],
            swiftSettings: settings
        ),
        .testTarget(name: "ObjectStoreTests", dependencies: ["ObjectStore", "Project", "TestKit"], swiftSettings: settings),
        .testTarget(
            name: "TenancyTests",
            dependencies: ["Tenancy", "Federation", "Tokens", "Storage", "Project", "TestKit", logging],
            swiftSettings: settings
        ),
        .testTarget(
            name: "AccountsTests",
            dependencies: [
                "Accounts", "Tenancy", "Settings", "Federation", "Messaging", "Tokens", "Storage", "Project", "TestKit",
                logging,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "HTTPAPITests",
            dependencies: ["HTTPAPI", "Accounts", "Tenancy", "Messaging", "Passwords", "Storage", "Project", httpTypes],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ConsoleTests",
            dependencies: [
                "Console", "HTTPAPI", "Accounts", "Messaging", "Tenancy", "Project", "TestKit", hummingbird, nioCore, httpTypes,
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SettingsTests",
            dependencies: ["Settings", "Federation", "Project", "TestKit", logging],
            swiftSettings: settings
        ),
        .testTarget(
            name: "UserFilesTests",
            dependencies: ["UserFiles", "Accounts", "Project", "TestKit"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Server", "Settings", "HTTPAPI", "Accounts", "Project", "TestKit", nioCore, nioPosix, nioSSL, nioHTTPTypes,
                httpTypes,
                asyncHTTPClient, metrics, tracing, logging,
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // The whole server: calls over HTTP, flows in browsers, and processes of the binary.
        .testTarget(
            name: "PosternTests",
            dependencies: [
                "postern", "Server", "Settings", "Console", "HTTPAPI", "Accounts", "Tenancy", "Federation", "Messaging",
                "Passwords",
                "Tokens", "Storage",
                "Migrations", "Project", "SAML", "SAMLTestKit", "TestKit",
                lifecycle, logging, jwtKit, nioCore, nioSSL, nioHPACK, x509, asyncHTTPClient, crypto, cryptoExtras, "CZlib",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        // The SQL files travel inside the binary: a release is one file.
        .target(name: "Migrations", path: "Migrations", resources: [.embedInCode("Steps")], swiftSettings: settings),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The system's resolver of names, for records other than addresses.
        .systemLibrary(name: "CResolv"),
        .systemLibrary(name: "CSpawn", path: "Tests/CSpawn"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev", "libxmlsec1-dev"]), .brew(["libxml2", "libxmlsec1"])]
        ),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // libcurl, for SMTP and object stores; its functions of variable arguments need a shim to be called from Swift.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    ]
)
