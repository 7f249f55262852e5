import Foundation
import Project
import TestKit
import Testing

@Suite("Work grows with the length of what is sent, and no faster", .teardown, .timeLimit(.minutes(15)))
struct ComplexityTests {
    enum Caller: CaseIterable {
        case app, administrator, appInDevelopment, administratorInDevelopment

        var mode: String { [.app, .administrator].contains(self) ? "production" : "development" }

        /// The credential in the header; `nil` for apps.
        var token: String? {
            switch self {
            case .app, .appInDevelopment: nil
            case .administrator: ComplexityTests.adminToken
            case .administratorInDevelopment: "owner"
            }
        }
    }

    /// The most expensive inputs of each kind, as JSON of about the given number of bytes.
    enum Material: CaseIterable {
        /// Combining marks in disorder, which normalization sorts.
        case marks
        /// Whatever else makes work with texts slow: the most marks in a row that are let in, again and again; flags, whose borders
        /// are found from the beginning only; separators of a form, and nothing between them; pieces of everything that is split.
        case mixture
        case names, members
        case list, objects
        case nesting

        /// Of the whole; half of it is sent for comparison.
        var bytes: Int {
            switch self {
            case .marks: 32 * 1024
            case .mixture: 40 * 1024
            default: 16 * 1024
            }
        }

        /// Whether it is for what takes values of a type, as the description names it. What is of another type is refused before it
        /// is looked at, by one decoder for all places.
        func fits(_ type: String?) -> Bool {
            switch self {
            case .marks, .mixture: true
            case .names, .members: type == nil || type == "object"
            case .list, .objects: type == nil || type == "array"
            case .nesting: false
            }
        }

        /// A material's JSON. Made once, for a debug build takes longer to make it than a server to read it.
        func data(_ scale: Scale) -> Data { Self.made[self]?[scale] ?? Data() }

        private static let made: [Material: [Scale: Data]] = Dictionary(
            uniqueKeysWithValues: allCases.map { material in
                let sizes = [Scale.half, .whole].map { ($0, Data(material.json($0.part(of: material.bytes)).utf8)) }
                return (material, Dictionary(uniqueKeysWithValues: sizes))
            }
        )

        /// The same as a text of a query.
        func text(_ bytes: Int) -> String {
            // By bytes: a mark makes one character with the quote before it.
            String(decoding: json(bytes).utf8.dropFirst().dropLast(), as: UTF8.self)
        }

        private func json(_ bytes: Int) -> String {
            switch self {
            case .marks: "\"" + Self.disorder(bytes / 2) + "\""
            case .mixture:
                [
                    "\"a", Self.repeated("a" + Self.disorder(30), bytes / 5), Self.repeated("\u{1F1E6}", bytes * 2 / 5),
                    Self.repeated("&", bytes / 5), Self.repeated("a=%41&b, c.d/", bytes / 5), "\"",
                ].joined()
            case .names: "{\"" + Self.disorder(bytes / 2) + "\":1,\"a" + Self.disorder(bytes / 2) + "\":2}"
            case .members:
                // Within the bound for members, so that they are looked at.
                "{" + (0..<min(bytes / 17, 990)).map { "\"m\($0)\":\"xxxxxxx\"" }.joined(separator: ",") + "}"
            case .list: "[0" + Self.repeated(",\"a\"", bytes) + "]"
            case .objects: "[{}" + Self.repeated(",{}", bytes) + "]"
            case .nesting: String(repeating: "[", count: bytes / 2) + String(repeating: "]", count: bytes / 2)
            }
        }

        static func disorder(_ marks: Int) -> String {
            var scalars = String.UnicodeScalarView()
            for index in 0..<marks { scalars.append(index % 2 == 0 ? "\u{301}" : "\u{323}") }
            return String(scalars)
        }

        private static func repeated(_ piece: String, _ bytes: Int) -> String {
            String(repeating: piece, count: bytes / piece.utf8.count)
        }
    }

    /// How much of a material is sent.
    enum Scale {
        case half, whole

        func part(of whole: Int) -> Int { self == .half ? whole / 2 : whole }
    }

    private static let adminToken = String(repeating: "a", count: 40)
    // Of a target or a header, which is refused unread when it is larger than 16 KiB.
    private static let headBytes = 12 * 1024
    // Several times what anything linear takes, and a third of what sorting all marks once does.
    private static let floor = Duration.milliseconds(25)
    // Twice is linear and four times is quadratic.
    private static let mostGrowth = 3.0

    private static func variables(_ caller: Caller) -> [String: String] {
        [
            "POSTERN_MODE": caller.mode, "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
            "POSTERN_LOG_LEVEL": "critical", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
            "POSTERN_ADMIN_TOKEN": adminToken, "POSTERN_LIMITS_ACCOUNT_CHANGES_PER_HOUR": "1000000",
            "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1000000",
            "POSTERN_LIMITS_PASSWORD_FAILURES_PER_ADDRESS_PER_HOUR": "1000000",
            "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
            "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
        ].filter { caller.mode == "production" || !["POSTERN_ADMIN_TOKEN", "POSTERN_PROJECT_API_KEYS"].contains($0.key) }
    }

    /// A server and its measurements.
    private struct Bench {
        let process: ServerProcess
        let client: TestClient
        let caller: Caller
        let idToken: String

        init(_ caller: Caller, _ directory: String) async throws {
            self.caller = caller
            process = try ServerProcess(["serve"], environment: ComplexityTests.variables(caller), directory: directory)
            client = TestClient(try await process.waitUntilReady())
            if caller.mode == "production" {
                let config: JSONValue = ["signIn": ["anonymous": ["enabled": true], "email": ["enabled": true]]]
                let path = "/v2/projects/shop/config?updateMask=signIn.anonymous,signIn.email"
                let headers = Self.headers(ComplexityTests.adminToken)
                let answer = try await client.send("PATCH", path, headers: headers, body: config.serialized())
                #expect(answer.status == 200)
            }
            idToken = try #require(try await client.post("/v1/accounts:signUp?key=k", [:])["idToken"]?.string)
        }

        // The required members, so that a request passes the first checks.
        private func companions(_ place: RequestPlace) -> [String: JSONValue] {
            var all: [String: JSONValue] = [
                "requestUri": "http://localhost", "continueUri": "http://localhost", "email": "a@example.com",
                "postBody": "id_token=e30.e30.&providerId=google.com", "providerId": "google.com", "grantType": "refresh_token",
                "requestType": "PASSWORD_RESET", "oobCode": "x", "phoneNumber": "+15555550100", "localId": "x",
            ]
            if caller.token == nil, !place.path.hasSuffix("delete") { all["idToken"] = .string(idToken) }
            return all.filter { place.siblings.contains($0.key) && place.pointer.first != $0.key }
        }

        private static func headers(_ token: String?) -> [(String, String)] {
            [("Content-Type", "application/json")] + (token.map { [("Authorization", "Bearer \($0)")] } ?? [])
        }

        /// Whether the caller may call what has the place: otherwise it is refused before its body is read.
        func mayCall(_ place: RequestPlace) async throws -> Bool {
            let headers = Self.headers(caller.token)
            let path = place.path(of: "shop") + "?key=k"
            let body = place.method == "GET" ? nil : Data("{}".utf8)
            return ![401, 403].contains(try await client.send(place.method, path, headers: headers, body: body).status)
        }

        /// Sends a material at a place, and tells what it cost.
        func cost(_ material: Material, _ scale: Scale, at place: RequestPlace) async throws -> Duration {
            let path = place.path(of: "shop") + "?key=k"
            let headers = Self.headers(caller.token)
            if let query = place.query {
                let text = material.text(scale.part(of: ComplexityTests.headBytes / 3))
                let target = "\(path)&\(TestClient.encode([(query, text)]))"
                return try await cost { try await client.send(place.method, target, headers: headers) }
            }
            let body = companions(place).reduce(place.body("@@")) { $0.merging(.object([MemberName($1.key): $1.value])) }.text
            let mark = try #require(body.firstRange(of: "\"@@\""))
            let whole = Data(body[..<mark.lowerBound].utf8) + material.data(scale) + Data(body[mark.upperBound...].utf8)
            return try await cost { try await client.send(place.method, path, headers: headers, body: whole) }
        }

        func cost(_ send: () async throws -> TestClient.Answer) async throws -> Duration {
            let before = process.processorTime
            let answer = try await send()
            #expect(answer.status < 500 || answer.status == 501)
            // What is too large to be read shows nothing.
            #expect(![413, 414, 431].contains(answer.status))
            return process.processorTime - before
        }

        /// Says that work grew faster than linearly, if it did. Most requests cost next to nothing, and are sent once.
        func check(_ what: String, _ cost: (Scale) async throws -> Duration) async throws {
            guard try await cost(.whole) > ComplexityTests.floor else { return }
            var (least, leastOfHalf) = (Duration.seconds(3600), Duration.seconds(3600))
            for _ in 0..<3 {
                leastOfHalf = min(leastOfHalf, try await cost(.half))
                least = min(least, try await cost(.whole))
                if least <= ComplexityTests.floor { return }
            }
            let growth = least / max(leastOfHalf, .milliseconds(5))
            #expect(growth < ComplexityTests.mostGrowth, "\(what): \(leastOfHalf) for half, \(least) for all")
        }
    }

    @Test("at any place of any request", arguments: Caller.allCases)
    func everywhere(caller: Caller) async throws {
        let directory = try await makeTemporaryDirectory()
        let bench = try await Bench(caller, directory)
        let places = RequestPlace.distinct(in: try await bench.client.get("/openapi.json").json)
        #expect(places.count > 100)
        let routes = Dictionary(grouping: places) { "\($0.method) \($0.path)" }
        for (route, ofRoute) in routes.sorted(by: { $0.key < $1.key }) {
            let isOpen = try await bench.mayCall(ofRoute[0])
            for (index, place) in ofRoute.enumerated() where isOpen || index == 0 {
                for material in Material.allCases {
                    // Structures of another type and all nesting are the reader's work, which one place of a route shows.
                    let fits = material.fits(place.schema["type"]?.string)
                    guard place.query == nil ? fits || index == 0 : [.marks, .mixture].contains(material) else { continue }
                    try await bench.check("\(route) \(place.pointer) \(place.query ?? "") \(material)") {
                        try await bench.cost(material, $0, at: place)
                    }
                }
            }
        }
        #expect(await bench.process.terminate() == 0)
    }

    @Test("in names of forms and queries, in headers and in paths")
    func outsideOfJSON() async throws {
        let directory = try await makeTemporaryDirectory()
        let bench = try await Bench(.app, directory)
        let form = [("Content-Type", "application/x-www-form-urlencoded")]
        for path in ["/v1/token?key=k", "/oauth2/token", "/__/auth/action?apiKey=k", "/__/auth/handler?apiKey=k"] {
            // Half of the largest body there, and of the others nearly all.
            let size = path == "/oauth2/token" ? 24 * 1024 : 60 * 1024
            try await bench.check("a name in the form of \(path)") { scale in
                let body = TestClient.encode([("a", "1")]) + "&" + Self.escaped(scale.part(of: size)) + "=1"
                return try await bench.cost {
                    try await bench.client.send("POST", path, headers: form, body: Data(body.utf8))
                }
            }
            try await bench.check("many pairs in the form of \(path)") { scale in
                let body = String(repeating: "a=1&b&", count: scale.part(of: 24 * 1024) / 6)
                return try await bench.cost {
                    try await bench.client.send("POST", path, headers: form, body: Data(body.utf8))
                }
            }
        }
        for path in ["/v1/projects?key=k&", "/__/auth/action?apiKey=k&", "/__/auth/handler?apiKey=k&", "/__/auth/"] {
            try await bench.check("a name in the target \(path)") { scale in
                try await bench.cost { try await bench.client.get(path + Self.escaped(scale.part(of: Self.headBytes))) }
            }
        }
        for name in [
            "User-Agent", "X-Firebase-Locale", "Accept-Language", "Content-Type", "Authorization", "Origin", "Cookie",
            "X-Goog-Api-Key", "Sec-Fetch-Site", "X-Ios-Bundle-Identifier", "X-Forwarded-For", "X-Client-Version",
        ] {
            try await bench.check("the header \(name)") { scale in
                let headers = [(name, Material.disorder(scale.part(of: Self.headBytes) / 2))]
                return try await bench.cost { try await bench.client.send("POST", "/v1/token?key=k", headers: headers) }
            }
        }
        #expect(await bench.process.terminate() == 0)
    }

    // Marks as in a query: six bytes each.
    private static func escaped(_ bytes: Int) -> String { String(repeating: "%CC%81%CC%A3", count: bytes / 12) }
}
