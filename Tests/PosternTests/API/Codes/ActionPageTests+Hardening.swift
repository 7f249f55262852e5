import Foundation
import Project
import TestKit
import Testing

extension ActionPageTests {
    @Test("is safe to look at: GET and HEAD of mail scanners use nothing up")
    func prefetch() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        let link = try await server.link("VERIFY_EMAIL", session.token)
        for _ in 0..<3 {
            #expect(try await server.client.get(link).status == 200)
            #expect(try await server.client.send("HEAD", link).status == 200)
            #expect(try await server.client.get(link + "&newPassword=x", headers: [("Purpose", "prefetch")]).status == 200)
        }
        #expect(try await server.account(session)["emailVerified"] == false)
        #expect(try await server.submit(try await server.visit(link)).status == 200)
    }

    @Test("spreads nothing: no referrer, no cache, no script, no frame, no cookie")
    func headers() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        let page = try await server.visit(try await server.link("PASSWORD_RESET", ["email": "a@b.c"]))
        let bad = try await server.visit(action: [])
        let done = try await server.submit(page, [("newPassword", "secret-2")])
        for visit in [page, bad, done] {
            #expect(visit.answer.header("Referrer-Policy") == "no-referrer")
            #expect(visit.answer.header("Cache-Control") == "no-store")
            #expect(visit.answer.header("X-Content-Type-Options") == "nosniff")
            #expect(visit.answer.header("X-Frame-Options") == "DENY")
            #expect(visit.answer.header("Content-Type") == "text/html; charset=utf-8")
            #expect(visit.answer.header("Set-Cookie") == nil)
            let policy = try #require(visit.answer.header("Content-Security-Policy"))
            for directive in ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
                #expect(policy.contains(directive))
            }
            #expect(!policy.contains("unsafe") && !policy.contains("script-src"))
            let style = try #require(visit.html.firstMatch(of: /<style>(?s)(.*?)<\/style>/)?.1)
            let hash = Data(sha256(style.utf8)).base64EncodedString()
            #expect(policy.contains("style-src 'sha256-\(hash)';"))
            #expect(!visit.html.contains("<script") && !visit.html.contains("style=") && !visit.html.contains("src="))
        }
    }

    @Test("takes forms of its own only")
    func foreignForms() async throws {
        let server = try await start()
        let session = try await server.signUp("a@b.c")
        let page = try await server.visit(try await server.link("VERIFY_EMAIL", session.token))
        for headers in [
            [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
            [("Origin", "http://127.0.0.1:\(server.port)"), ("Sec-Fetch-Site", "cross-site")],
            [("Origin", "http://127.0.0.1:1")],
        ] {
            let refused = try await server.submit(page, headers: headers)
            #expect(refused.status == 403, "\(headers)")
            #expect(refused.answer.header("Access-Control-Allow-Credentials") == nil)
        }
        let json = try await server.client.post("/__/auth/action", ["mode": "verifyEmail"])
        #expect(json.status == 400 || json.status == 415 || json.status == 403)
        #expect(try await server.account(session)["emailVerified"] == false)
        // Browsers send these headers with a form of a page that has no referrer.
        let own = try await server.submit(page, headers: [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")])
        #expect(own.status == 200)
    }

    @Test("leads on to authorized web addresses only")
    func openRedirects() async throws {
        let server = try await start()
        _ = try await server.signUp("a@b.c")
        let hostile = [
            "https://evil.example/", "//evil.example", "javascript:alert(1)", "javascript://app.example.com/%0aalert(1)",
            "https://app.example.com.evil.example", "https://app.example.com@evil.example", "https://evilapp.example.com.",
            "https://evil.example\\@app.example.com/", "https://user@app.example.com/",
            "https://evil.example%2F.app.example.com/",
            "https://evil.example\u{FF0F}.app.example.com/", "https://app.example.com:x/", "data:text/html,x",
            "myapp://app.example.com/",
            " https://evil.example", "https:evil.example", "https:///evil.example",
        ]
        for address in hostile {
            let code = try await server.code("PASSWORD_RESET", ["email": "a@b.c"])
            let reset = parameters("resetPassword", code, [("continueUrl", address)])
            let page = try await server.visit(action: reset)
            #expect(page.status == 200)
            let done = try await server.submit(page, [("newPassword", "secret-2")])
            #expect(done.status == 200)
            #expect(done.next == nil, "\(address)")
            let signIn = try await server.visit(action: parameters("signIn", code, [("continueUrl", address)]))
            #expect(signIn.status == 400, "\(address)")
            #expect(signIn.answer.header("Location") == nil)
        }
        for address in ["https://sub.app.example.com/x", "http://localhost:3000/", "https://app.example.com"] {
            let signIn = try await server.visit(action: parameters("signIn", "c", [("continueUrl", address)]))
            #expect(signIn.status == 303, "\(address)")
        }
        // A look-alike of an authorized name is written as the name that was compared.
        let lookAlike = [("continueUrl", "https://\u{FF41}pp.example.com/")]
        let signIn = try await server.visit(action: parameters("signIn", "c", lookAlike))
        #expect(signIn.answer.header("Location")?.hasPrefix("https://app.example.com/?") ?? true)
    }

    @Test("shows hostile parameters as text")
    func injection() async throws {
        let server = try await start()
        let marks = "\"'><script>alert(1)</script>{{title}}\r\nSet-Cookie: a=b\u{202E}"
        let code = try await server.code("EMAIL_SIGNIN", ["email": "a@b.c", "continueUrl": "https://app.example.com"])
        for name in ["mode", "oobCode", "apiKey", "continueUrl", "lang", "tenantId", "newPassword"] {
            let hostile = parameters("signIn", code, [("continueUrl", "https://app.example.com/"), (name, marks)])
            let page = try await server.visit(action: hostile)
            #expect([303, 400].contains(page.status))
            #expect(!page.html.contains("<script") && !page.html.contains("\"'>"))
            #expect(page.answer.header("Set-Cookie") == nil)
        }
        _ = try await server.signUp("o'neil&co@b.c")
        let reset = try await server.code("PASSWORD_RESET", ["email": "o'neil&co@b.c"])
        let page = try await server.visit(action: parameters("resetPassword", reset, [("continueUrl", marks)]))
        #expect(page.status == 200)
        #expect(page.html.contains("o&#39;neil&amp;co@b.c"))
        #expect(!page.html.contains("<script"))
        #expect(page.fields.first { $0.0 == "continueUrl" }?.1 == marks)
    }
}
