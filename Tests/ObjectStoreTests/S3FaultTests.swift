import Foundation
import Project
import TestKit
import Testing

@testable import ObjectStore

@Suite("Object stores and networks that fail", .timeLimit(.minutes(10)))
struct S3FaultTests: S3Suite {
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
}
