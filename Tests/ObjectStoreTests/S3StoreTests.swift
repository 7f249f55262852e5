import Foundation
import Project
import TestKit
import Testing

@testable import ObjectStore

@Suite("Object stores", .timeLimit(.minutes(10)))
struct S3StoreTests {
    private static let bytes = 20_000_000

    private func content(_ bytes: Int = bytes) -> Data {
        var generator = SystemRandomNumberGenerator()
        var words = (0..<(bytes / 8)).map { _ in generator.next() as UInt64 }
        words.append(0)
        return words.withUnsafeBytes { Data($0.prefix(bytes)) }
    }

    private func configuration(
        _ server: S3Server,
        id: String? = nil,
        secret: String? = nil,
        token: String? = nil,
        caFile: String? = nil,
        tries: Int = 4,
        usesPathStyle: Bool = true
    ) -> S3Configuration {
        var patience = S3Configuration.Patience()
        (patience.tries, patience.pause, patience.stallSeconds) = (tries, .milliseconds(5), 2)
        return S3Configuration(
            // Each name below `localhost` is this machine.
            endpoint: usesPathStyle ? server.endpoint : server.endpoint.replacing("127.0.0.1", with: "localhost"),
            region: "eu-west-1",
            accessKeyID: id ?? server.credentials.id,
            secretAccessKey: secret ?? server.credentials.secret,
            sessionToken: token,
            usesPathStyle: usesPathStyle,
            caFile: caFile,
            patience: patience
        )
    }

    private func using<T: Sendable>(
        _ configuration: S3Configuration,
        _ work: @escaping @Sendable (S3Store) throws -> T
    ) async throws -> T {
        try await Interruption.run { try work(S3Store(S3Server.bucket, configuration, interruption: $0)) }
    }

    /// Writes an object in pieces of an odd size.
    private func write(_ content: Data, to key: String, _ configuration: S3Configuration) async throws -> Int64 {
        try await using(configuration) { store in
            try store.write(key, atMost: Int64(content.count)) { upload in
                for start in stride(from: 0, to: content.count, by: 65_553) {
                    try upload.write(content[start..<min(start + 65_553, content.count)])
                }
            }
        }
    }

    private func read(_ key: String, _ configuration: S3Configuration) async throws -> Data {
        try await using(configuration) { store in
            var content = Data()
            try store.read(key) { content += $0 }
            return content
        }
    }

    /// The message of a failure.
    private func failure<T>(_ body: () async throws -> T) async -> String {
        do {
            _ = try await body()
            Issue.record("it succeeded")
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("an object is written in parts, listed, read as it was, and removed, with all credentials and both styles of URLs")
    func roundTrip() async throws {
        let server = try await S3Server.start()
        let temporary = server.temporaryCredentials
        for configuration in [
            configuration(server), configuration(server, usesPathStyle: false),
            configuration(server, id: temporary.id, secret: temporary.secret, token: temporary.token),
        ] {
            let content = content()
            #expect(try await write(content, to: "a/b~1_.-c", configuration) == Int64(content.count))
            #expect(try await server.state().objects == ["a/b~1_.-c": content.count])
            #expect(
                try await using(configuration) { try $0.list("a/") } == [
                    S3Store.Object(key: "a/b~1_.-c", size: Int64(content.count))
                ]
            )
            #expect(try await using(configuration) { try $0.list("b") }.isEmpty)
            #expect(try await read("a/b~1_.-c", configuration) == content)
            try await using(configuration) { try $0.remove("a/b~1_.-c") }
            let state = try await server.state()
            #expect(state.objects.isEmpty && state.uploads.isEmpty)
        }
        let sizes = server.requests.filter { $0["method"] == "PUT" }.compactMap { $0["bytes"]?.integer }
        let last = Int64(Self.bytes - 2 * S3Store.blockBytes)
        let once: [Int64] = [8 << 20, 8 << 20, last]
        #expect(sizes == once + once + once)
        let targets = server.requests.compactMap { $0["target"]?.string }
        for start in ["/a/b~1_.-c", "/backups/a/b~1_.-c"] { #expect(targets.contains { $0.hasPrefix(start) }, "\(start)") }
        #expect(server.requests.allSatisfy { $0["isSigned"] == true })
    }

    @Test("empty objects, and objects of exactly one part")
    func edges() async throws {
        let server = try await S3Server.start()
        for bytes in [0, 1, S3Store.blockBytes, S3Store.blockBytes + 1] {
            let content = content(bytes)
            #expect(try await write(content, to: "o\(bytes)", configuration(server)) == Int64(bytes))
            if bytes > 0 { #expect(try await read("o\(bytes)", configuration(server)) == content) }
        }
        #expect(try await server.state().objects.values.sorted() == [0, 1, 8 << 20, (8 << 20) + 1])
    }

    @Test("wrong credentials are refused with the store's own words, and no secret is in them")
    func credentials() async throws {
        let server = try await S3Server.start()
        let secret = "wrong-" + server.credentials.secret.dropFirst(6)
        for (configuration, code) in [
            (configuration(server, secret: secret), "403 SignatureDoesNotMatch"),
            (configuration(server, id: "AKIAUNKNOWN"), "403 InvalidAccessKeyId"),
            (configuration(server, token: "a-token"), "400 InvalidToken"),
            (
                configuration(server, id: server.temporaryCredentials.id, secret: server.temporaryCredentials.secret),
                "403 InvalidAccessKeyId"
            ),
        ] {
            for text in [
                await failure { try await write(Data([1]), to: "o", configuration) },
                await failure { try await read("o", configuration) },
                await failure { try await using(configuration) { try $0.remove("o") } },
            ] {
                #expect(text.contains("the store answered \(code): "), "\(text)")
                #expect(!text.contains(configuration.secretAccessKey) && !text.contains("a-token"), "\(text)")
            }
        }
        #expect(try await server.state().objects.isEmpty)
        // A refusal that lasts is not tried again.
        #expect(server.requests.count == 12)
    }

    @Test("the store's certificate is verified")
    func certificate() async throws {
        try await withTemporaryDirectory { directory in
            let certificate = try TestCertificate(dnsName: "localhost", in: directory)
            let other = try TestCertificate(dnsName: "other.example.com", in: directory)
            let server = try await S3Server.start(certificate: certificate)
            for file in [nil, other.certificateFile] {
                let text = await failure { try await write(Data([1]), to: "o", configuration(server, caFile: file)) }
                #expect(text.hasPrefix("listing s3://backups/o: ") && text.contains("certificate"), "\(text)")
            }
            #expect(server.requests.isEmpty)
            #expect(try await write(Data([1]), to: "o", configuration(server, caFile: certificate.certificateFile)) == 1)
            let impostor = try await S3Server.start(certificate: other)
            let text = await failure { try await read("o", configuration(impostor, caFile: other.certificateFile)) }
            #expect(text.hasPrefix("reading s3://backups/o: ") && impostor.requests.isEmpty, "\(text)")
        }
    }

    /// What goes wrong with which request.
    struct Trouble: Sendable, CustomTestStringConvertible {
        let fault: S3Server.Fault
        let method: String
        let text: String
        var testDescription: String { "\(fault) \(method) \(text)" }
    }

    private static let slowDown = S3Server.Fault.refuse(status: "503 Slow Down", code: "SlowDown")
    private static let inDisguise = S3Server.Fault.refuse(status: "200 OK", code: "InternalError")

    @Test(
        "what passes by itself is tried again, and the object is whole",
        arguments: [
            Trouble(fault: .cut, method: "PUT", text: "partNumber=2"), Trouble(fault: .lose, method: "PUT", text: "partNumber=1"),
            Trouble(fault: slowDown, method: "PUT", text: "partNumber=3"),
            Trouble(fault: .hang, method: "PUT", text: "partNumber=2"),
            Trouble(fault: .lose, method: "POST", text: "uploads="), Trouble(fault: slowDown, method: "POST", text: "uploads="),
            Trouble(fault: .lose, method: "POST", text: "uploadId="), Trouble(fault: .cut, method: "POST", text: "uploadId="),
            Trouble(fault: inDisguise, method: "POST", text: "uploadId="),
            Trouble(fault: .half, method: "GET", text: "list-type"),
            Trouble(fault: .half, method: "GET", text: "/o"), Trouble(fault: slowDown, method: "GET", text: "/o"),
        ]
    )
    func passing(_ trouble: Trouble) async throws {
        let server = try await S3Server.start()
        try await server.plan(trouble.fault, trouble.method, trouble.text, times: 2)
        let content = content()
        #expect(try await write(content, to: "o", configuration(server)) == Int64(content.count))
        #expect(try await read("o", configuration(server)) == content)
        #expect(server.requests.contains { $0["fault"] != "" })
        let state = try await server.state()
        #expect(state.objects == ["o": content.count] && state.uploads.isEmpty)
    }

    @Test(
        "what does not pass leaves neither an object nor parts of one",
        arguments: [
            Trouble(fault: .cut, method: "PUT", text: "partNumber=2"), Trouble(fault: .lose, method: "PUT", text: "partNumber=3"),
            Trouble(fault: slowDown, method: "PUT", text: "partNumber=1"),
            Trouble(fault: .hang, method: "PUT", text: "partNumber=2"),
            Trouble(fault: .refuse(status: "403 Forbidden", code: "AccessDenied"), method: "PUT", text: "partNumber=2"),
            Trouble(fault: .lose, method: "POST", text: "uploads="),
            Trouble(fault: .cut, method: "POST", text: "uploadId="),
            Trouble(fault: inDisguise, method: "POST", text: "uploadId="),
            Trouble(fault: .refuse(status: "200 OK", code: "AccessDenied"), method: "POST", text: "uploadId="),
        ]
    )
    func lasting(_ trouble: Trouble) async throws {
        let server = try await S3Server.start()
        try await server.plan(trouble.fault, trouble.method, trouble.text)
        let text = await failure { try await write(content(), to: "o", configuration(server, tries: 3)) }
        #expect(text.contains("s3://backups/o: ") && !text.contains("may be left"), "\(text)")
        if case .refuse(let status, let code, _) = trouble.fault {
            #expect(text.contains("the store answered \(status.prefix(3)) \(code): Said the test."), "\(text)")
        }
        let struck = server.requests.count { $0["fault"] != "" }
        #expect(struck == (text.contains("AccessDenied") ? 1 : 3))
        try await server.mend()
        let state = try await server.state()
        #expect(state.objects.isEmpty && state.uploads.isEmpty)
    }

    @Test("what cannot be removed is told, and so is what was the matter first")
    func leftovers() async throws {
        let server = try await S3Server.start()
        try await server.plan(.refuse(status: "403 Forbidden", code: "AccessDenied"), "PUT", "partNumber=2")
        try await server.plan(.refuse(status: "403 Forbidden", code: "AccessDenied"), "DELETE", "uploadId=")
        let text = await failure { try await write(content(), to: "o", configuration(server)) }
        #expect(text.contains("writing part 2 of s3://backups/o: the store answered 403 AccessDenied"), "\(text)")
        #expect(text.contains("may be left in the store (abandoning s3://backups/o: the store answered 403"), "\(text)")
        #expect(try await server.state().uploads == ["o"])
    }

    @Test("the store's words are bounded, and control no terminal")
    func hostileWords() async throws {
        let server = try await S3Server.start()
        let message = "\u{1b}[2J" + String(repeating: "x", count: 5000)
        try await server.plan(.refuse(status: "400 Bad Request", code: "Odd", message: message), "GET", "list-type")
        let text = await failure { try await using(configuration(server)) { try $0.list("o") } }
        #expect(
            text.hasPrefix("listing s3://backups/o: the store answered 400 Odd: \\u{1b}[2Jxxx") && text.utf8.count < 500,
            "\(text)"
        )
    }

    @Test("an error of the source ends the upload, and nothing is left")
    func source() async throws {
        struct Unreadable: Error {}
        let server = try await S3Server.start()
        let text = await failure {
            try await using(configuration(server)) { store in
                try store.write("o", atMost: 1) { upload in
                    try upload.write(Data(count: S3Store.blockBytes))
                    throw Unreadable()
                }
            }
        }
        #expect(text.contains("Unreadable"))
        #expect(server.requests.contains { $0["method"] == "PUT" })
        let state = try await server.state()
        #expect(state.objects.isEmpty && state.uploads.isEmpty)
    }

    @Test("nothing is overwritten, neither what is there before nor what appears meanwhile")
    func existing() async throws {
        let server = try await S3Server.start()
        try await server.put("o", "first")
        let text = await failure { try await write(Data([1]), to: "o", configuration(server)) }
        #expect(text.contains("is there already"), "\(text)")
        let late = await failure {
            try await using(configuration(server)) { store in
                try store.write("p", atMost: 1) { upload in
                    try upload.write(Data([1]))
                    blocking { try await server.put("p", "other") }
                }
            }
        }
        #expect(late.contains("completing s3://backups/p: the store answered 412"), "\(late)")
        let state = try await server.state()
        #expect(state.objects == ["o": 5, "p": 5] && state.uploads.isEmpty)
    }

    /// Waits for an asynchronous step on a thread that may be blocked.
    private func blocking(_ body: @escaping @Sendable () async throws -> Void) {
        let semaphore = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await body() } catch { Issue.record(error) }
            semaphore.signal()
        }
        semaphore.wait()
    }

    @Test("a store that does not know the condition gets the object without it")
    func unconditional() async throws {
        let server = try await S3Server.start()
        try await server.plan(.refuse(status: "501 Not Implemented", code: "NotImplemented"), "POST", "uploadId=", times: 1)
        #expect(try await write(Data([1]), to: "o", configuration(server)) == 1)
        let completions = server.requests.filter { $0["method"] == "POST" && $0["target"]?.string?.contains("uploadId=") == true }
        #expect(completions.map { $0["condition"] } == ["*", ""])
        #expect(try await server.state().objects == ["o": 1])
    }

    @Test("an object that is replaced while it is read is an error, and so is one whose bytes do not come")
    func replaced() async throws {
        let server = try await S3Server.start()
        _ = try await write(content(), to: "o", configuration(server))
        let text = await failure {
            try await using(configuration(server)) { store in
                try store.read("o") { _ in blocking { try await server.put("o", "other") } }
            }
        }
        #expect(text.contains("reading s3://backups/o: the store answered 412"), "\(text)")
        #expect(await failure { try await read("none", configuration(server)) }.contains("404 NoSuchKey"))
        try await server.plan(.half, "GET", "/o")
        #expect(await failure { try await read("o", configuration(server, tries: 2)) }.hasPrefix("reading s3://backups/o: "))
        #expect(server.requests.count { $0["fault"] == "half" } == 2)
    }

    @Test("listings go on page by page")
    func pages() async throws {
        let server = try await S3Server.start()
        try await server.put("a/n&#<", "x", count: 2100)
        try await server.put("b", "x")
        let found = try await using(configuration(server)) { try $0.list("a/") }
        let expected = (0..<2100).map { number -> String in
            let digits = String(10_000 + number).dropFirst()
            return "a/n&\(digits)<"
        }
        #expect(found.map(\.key) == expected)
        #expect(server.requests.count == 3)
    }

    @Test("an interrupted upload ends at once and leaves nothing")
    func interruption() async throws {
        let server = try await S3Server.start()
        try await server.plan(.hang, "PUT", "partNumber=2")
        var patient = configuration(server)
        patient.patience.stallSeconds = 600
        let (configuration, content) = (patient, content())
        let upload = Task { try await write(content, to: "o", configuration) }
        try await eventually { server.requests.contains { $0["fault"] == "hang" } }
        upload.cancel()
        #expect(await failure { try await upload.value }.contains("writing part 2 of s3://backups/o: interrupted"))
        try await server.mend()
        let state = try await server.state()
        #expect(state.objects.isEmpty && state.uploads.isEmpty)
    }

    @Test("a store that is not there is said so")
    func absent() async throws {
        let server = try await S3Server.start()
        let port = try await TCPListener()
        try await port.close()
        let gone = S3Configuration(
            endpoint: "http://127.0.0.1:\(port.port)",
            region: "r",
            accessKeyID: "a",
            secretAccessKey: "the-secret",
            usesPathStyle: true,
            patience: configuration(server).patience
        )
        let text = await failure { try await using(gone) { try $0.list("") } }
        #expect(text == "listing s3://backups: Couldn't connect to server")
    }
}
