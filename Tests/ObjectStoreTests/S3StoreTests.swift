import Foundation
import Project
import TestKit
import Testing

@testable import ObjectStore

@Suite("Object stores", .timeLimit(.minutes(10)))
struct S3StoreTests: S3Suite {
    @Test("an object is written in parts, listed, read as it was, and removed, with all credentials and both styles of URLs")
    func roundTrip() async throws {
        let server = try await S3Server.start()
        let temporary = server.temporaryCredentials
        let content = content()
        for configuration in [
            configuration(server), configuration(server, usesPathStyle: false),
            configuration(server, id: temporary.id, secret: temporary.secret, token: temporary.token),
        ] {
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
        let last = Int64(content.count - 2 * S3Store.blockBytes)
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

    @Test("no more is read than the listing says, nor than there is room for", arguments: [1, S3Store.blockBytes])
    func lengths(bytes: Int) async throws {
        let server = try await S3Server.start()
        _ = try await write(content(bytes), to: "o", configuration(server))
        let crowded = await failure {
            try await using(configuration(server)) { try $0.read("o", atMost: Int64(bytes - 1)) { _ in Issue.record("read") } }
        }
        #expect(crowded == "reading s3://backups/o: it has \(bytes) bytes, and there is room for \(bytes - 1)")
        try await server.plan(.inflate, "GET", "/o")
        let text = await failure {
            try await using(configuration(server)) { try $0.read("o") { _ in Issue.record("read") } }
        }
        #expect(text == "reading s3://backups/o: it is not as long as its listing says")
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
