import Foundation
import Project
import TestKit
import Testing

@Suite("Work grows with the length of what is sent, and no faster", .timeLimit(.minutes(15)))
struct ComplexityTests {
    /// The kind of caller.
    enum Caller: CaseIterable {
        case app, administrator
    }

    /// The most expensive inputs of each kind, as JSON of about the given number of bytes.
    enum Material: CaseIterable {
        /// Combining marks in disorder, which normalization sorts.
        case marks
        /// The largest allowed number of marks in a row, repeated.
        case fewMarks
        /// Flags, whose borders can be found only from the beginning.
        case flags
        /// Separators of a form with nothing between them.
        case ampersands
        /// Small pieces of everything that is split.
        case pieces
        /// Names made of marks, and many names.
        case names, members
        case list, objects
        case nesting

        /// Whether it has to be tried only where lists and objects are accepted.
        var isStructure: Bool { [.names, .members, .list, .objects].contains(self) }

        func json(_ bytes: Int) -> String {
            switch self {
            case .marks: "\"" + text(bytes) + "\""
            case .fewMarks: Self.filled("\"", "a" + Self.disorder(30), "\"", bytes)
            case .flags: Self.filled("\"", "\u{1F1E6}", "\"", bytes)
            case .ampersands: Self.filled("\"a", "&", "\"", bytes)
            case .pieces: Self.filled("\"", "a=%41&b, c.d/", "\"", bytes)
            case .names: "{\"" + text(bytes) + "\":1,\"a" + text(bytes) + "\":2}"
            case .members:
                // So few members that the limit for members lets them through.
                "{"
                    + (0..<990).map { "\"m\($0)\":\"" + String(repeating: "x", count: bytes / 1000) + "\"" }
                    .joined(separator: ",") + "}"
            case .list: Self.filled("[0", ",\"a\"", "]", bytes)
            case .objects: Self.filled("[{}", ",{}", "]", bytes)
            case .nesting: String(repeating: "[", count: bytes / 2) + String(repeating: "]", count: bytes / 2)
            }
        }

        /// The same as a text for a query or a header.
        func text(_ bytes: Int) -> String { Self.disorder(bytes / 2) }

        static func disorder(_ marks: Int) -> String {
            var scalars = String.UnicodeScalarView()
            for index in 0..<marks { scalars.append(index % 2 == 0 ? "\u{301}" : "\u{323}") }
            return String(scalars)
        }

        private static func filled(_ start: String, _ piece: String, _ end: String, _ bytes: Int) -> String {
            start + String(repeating: piece, count: max(bytes / piece.utf8.count, 1)) + end
        }
    }

    private static let adminToken = String(repeating: "a", count: 40)
    private static let size = 24 * 1024
    // Sorting so many marks once takes longer than this.
    private static let floor = Duration.milliseconds(30)
    // Twice is linear and four times is quadratic.
    private static let mostGrowth = 3.0

    private static let variables = [
        "POSTERN_MODE": "production", "POSTERN_SERVER_PORT": "0", "POSTERN_DATABASE_URL": "sqlite:p.sqlite",
        "POSTERN_LOG_LEVEL": "critical", "POSTERN_PROJECT_ID": "shop", "POSTERN_PROJECT_API_KEYS": "k",
        "POSTERN_ADMIN_TOKEN": adminToken, "POSTERN_LIMITS_ACCOUNT_CHANGES_PER_HOUR": "1000000",
        "POSTERN_LIMITS_SIGN_UP_PER_ADDRESS_PER_HOUR": "1000000",
        "POSTERN_SECRETS_MASTER_KEY": Data(repeating: 7, count: 32).base64EncodedString(),
        "POSTERN_PASSWORDS_ARGON2_MEMORY_KIB": "8192", "POSTERN_PASSWORDS_ARGON2_ITERATIONS": "1",
    ]

    /// A server and its measurements.
    private struct Bench {
        let process: ServerProcess
        let client: TestClient
        let caller: Caller
        let idToken: String

        init(_ caller: Caller, _ directory: String) async throws {
            self.caller = caller
            process = try ServerProcess(["serve"], environment: ComplexityTests.variables, directory: directory)
            client = TestClient(try await process.waitUntilReady())
            let administrator = [
                ("Authorization", "Bearer \(ComplexityTests.adminToken)"), ("Content-Type", "application/json"),
            ]
            let config: JSONValue = ["signIn": ["anonymous": ["enabled": true], "email": ["enabled": true]]]
            let path = "/v2/projects/shop/config?updateMask=signIn.anonymous,signIn.email"
            let answer = try await client.send("PATCH", path, headers: administrator, body: config.serialized())
            #expect(answer.status == 200)
            idToken = try #require(try await client.post("/v1/accounts:signUp?key=k", [:])["idToken"]?.string)
        }

        // The required members, so that a request passes the first checks.
        private func companions(_ place: RequestPlace) -> [String: JSONValue] {
            var all: [String: JSONValue] = [
                "requestUri": "http://localhost", "continueUri": "http://localhost", "email": "a@example.com",
                "postBody": "id_token=e30.e30.&providerId=google.com", "providerId": "google.com", "grantType": "refresh_token",
                "requestType": "PASSWORD_RESET", "oobCode": "x", "phoneNumber": "+15555550100", "localId": "x",
            ]
            if caller != .administrator, !place.path.hasSuffix("delete") { all["idToken"] = .string(idToken) }
            return all.filter { place.siblings.contains($0.key) && place.pointer.first != $0.key }
        }

        private func headers() -> [(String, String)] {
            let type = ("Content-Type", "application/json")
            return caller == .administrator ? [type, ("Authorization", "Bearer \(ComplexityTests.adminToken)")] : [type]
        }

        /// Sends a material at a place, and returns the cost.
        func cost(_ material: Material, _ bytes: Int, at place: RequestPlace) async throws -> Duration {
            let path = place.path(of: "shop") + "?key=k"
            if let query = place.query {
                let value = TestClient.encode([(query, String(material.json(bytes / 3).dropFirst().dropLast()))])
                return try await cost { try await client.send(place.method, "\(path)&\(value)", headers: headers()) }
            }
            let body = companions(place).reduce(place.body("@@")) { $0.merging(.object([MemberName($1.key): $1.value])) }
            let text = body.text.replacing("\"@@\"", with: material.json(bytes))
            let data = Data(text.utf8)
            return try await cost { try await client.send(place.method, path, headers: headers(), body: data) }
        }

        func cost(_ send: () async throws -> TestClient.Answer) async throws -> Duration {
            let before = process.processorTime
            let answer = try await send()
            #expect(answer.status < 500 || answer.status == 501)
            return process.processorTime - before
        }

        /// Records an issue if the work grew faster than linearly. Most requests cost very little and are sent once.
        func check(_ what: String, _ cost: (Int) async throws -> Duration) async throws {
            let size = ComplexityTests.size
            guard try await cost(size) > ComplexityTests.floor else { return }
            var (least, leastOfHalf) = (Duration.seconds(3600), Duration.seconds(3600))
            for _ in 0..<3 {
                leastOfHalf = min(leastOfHalf, try await cost(size / 2))
                least = min(least, try await cost(size))
                if least <= ComplexityTests.floor { return }
            }
            let growth = least / max(leastOfHalf, .milliseconds(10))
            #expect(growth < ComplexityTests.mostGrowth, "\(what): \(leastOfHalf) for half, \(least) for all")
        }
    }

    @Test("at any place of any request", arguments: Caller.allCases)
    func everywhere(caller: Caller) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try await Bench(caller, directory)
            let places = RequestPlace.distinct(in: try await bench.client.get("/openapi.json").json)
            #expect(places.count > 100)
            for place in places {
                let takesStructure =
                    place.query == nil && !["string", "boolean", "integer"].contains(place.schema["type"]?.string)
                for material in Material.allCases where takesStructure || !material.isStructure {
                    if place.query != nil, material == .nesting { continue }
                    try await bench.check("\(place.method) \(place.path) \(place.pointer) \(place.query ?? "") \(material)") {
                        try await bench.cost(material, $0, at: place)
                    }
                }
            }
            #expect(await bench.process.terminate() == 0)
        }
    }

    @Test("in names of forms and queries, in headers and in paths")
    func outsideOfJSON() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try await Bench(.app, directory)
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            for path in ["/v1/token?key=k", "/oauth2/token", "/__/auth/action?apiKey=k", "/__/auth/handler?apiKey=k"] {
                try await bench.check("a name in the form of \(path)") { bytes in
                    let body =
                        TestClient.encode([("a", "1")]) + "&" + Self.escaped(bytes * 3) + "=1"
                    return try await bench.cost {
                        try await bench.client.send("POST", path, headers: form, body: Data(body.utf8))
                    }
                }
                try await bench.check("many pairs in the form of \(path)") { bytes in
                    let body = String(repeating: "a=1&b&", count: bytes / 6)
                    return try await bench.cost {
                        try await bench.client.send("POST", path, headers: form, body: Data(body.utf8))
                    }
                }
            }
            for path in ["/v1/projects?key=k&", "/__/auth/action?apiKey=k&", "/__/auth/handler?apiKey=k&", "/__/auth/"] {
                try await bench.check("a name in the target \(path)") { bytes in
                    try await bench.cost { try await bench.client.get(path + Self.escaped(bytes)) }
                }
            }
            for name in [
                "User-Agent", "X-Firebase-Locale", "Accept-Language", "Content-Type", "Authorization", "Origin", "Cookie",
                "X-Goog-Api-Key", "Sec-Fetch-Site", "X-Ios-Bundle-Identifier", "X-Forwarded-For", "X-Client-Version",
            ] {
                try await bench.check("the header \(name)") { bytes in
                    let headers = [(name, Material.marks.text(bytes))]
                    return try await bench.cost { try await bench.client.send("POST", "/v1/token?key=k", headers: headers) }
                }
            }
            #expect(await bench.process.terminate() == 0)
        }
    }

    // Marks as in a query: six bytes each.
    private static func escaped(_ bytes: Int) -> String { String(repeating: "%CC%81%CC%A3", count: bytes / 12) }
}
