import Testing

@testable import Project

@Suite("A host name is parsed before it is compared (OOB-09)")
struct HostNameTests {
    @Test(
        "names and addresses are read, in one form each",
        arguments: [
            ("localhost", "localhost"), ("App.Example.COM", "app.example.com"),
            ("a-b.xn--bcher-kva.example", "a-b.xn--bcher-kva.example"),
            ("4chan.org", "4chan.org"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("2001:DB8:0:0::1", "2001:db8::1"),
            ("0x7g", "0x7g"), ("1.2.3.4a", "1.2.3.4a"), (String(repeating: "a", count: 63), String(repeating: "a", count: 63)),
        ]
    )
    func good(text: String, canonical: String) { #expect(HostName(text)?.text == canonical) }

    @Test(
        "what is no host in one reading or another is none",
        arguments: [
            "", ".", "a.", ".a", "a..b", "evil.example/.localhost", "evil.example/", "user@app.example.com", "app.example.com:80",
            "evil.example\\.localhost", "evil.example#.localhost", "evil.example?.localhost", "a b", "a\tb", "a\nb", "a\u{0}b",
            "a%2eb",
            "a_b.example", "-a.example", "a-.example", "bücher.example", "a\u{301}.example", "ａpp.example", "app。example",
            "[::1]", "::1%eth0",
            "::ffff:127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7f000001", "1.2.3", "1.2.3.4.5", "256.1.1.1", "127.0.0.01",
            "a.0x", "a.1",
            "*.example.com", "127.0.0.1\u{0}", "::1\u{0}", String(repeating: "a", count: 64), "https://app.example.com",
            [String](repeating: "abcdefg", count: 32).joined(separator: ".") + ".abcde",
        ]
    )
    func bad(text: String) { #expect(HostName(text) == nil) }

    @Test("an entry with a dot authorizes what is below it; a name without one and an address authorize themselves")
    func authorized() throws {
        let hosts = AuthorizedHosts(
            ["localhost", "Example.com", "10.0.0.1", "::1", "chrome-extension://abc", "bad_entry.example"],
            publicURL: "https://Auth.example.org:8443"
        )
        for text in ["localhost", "example.com", "a.b.EXAMPLE.com", "10.0.0.1", "::1", "auth.example.org"] {
            #expect(hosts.contains(try #require(HostName(text))), "\(text)")
        }
        for text in [
            "www.localhost", "badexample.com", "example.com.evil.example", "com", "10.0.0.2", "a.auth.example.org", "example.org",
            "abc", "bad-entry.example",
        ] {
            #expect(!hosts.contains(try #require(HostName(text))), "\(text)")
        }
    }

    @Test("an authority is a host and perhaps a port, and nothing else")
    func authorities() {
        for (text, shown) in [
            ("a.example", "a.example"), ("A.example:8080", "a.example:8080"), ("[::1]", "[::1]"), ("[0:0::1]:1", "[::1]:1"),
            ("127.0.0.1:65535", "127.0.0.1:65535"),
        ] {
            #expect(Authority(text)?.description == shown)
        }
        for text in [
            "", ":80", "a:", "a:0", "a:080", "a:65536", "a:-1", "a:+80", "a:80:80", "a:８０", "::1", "[::1", "[a.example]",
            "[::1]x", "[::1]:",
            "u@a", "u:p@a", "a/b", "a\\b", "[127.0.0.1]",
        ] {
            #expect(Authority(text) == nil, "\(text)")
        }
    }

    @Test("a web address names the host that a browser goes to, or is none")
    func addresses() {
        for (text, origin) in [
            ("https://A.example/x?y#z", "https://a.example"), ("HTTP://a.example:80", "http://a.example"),
            ("https://a.example:80/@evil.example", "https://a.example:80"), ("https://[::1]:443", "https://[::1]"),
            ("https://a.example?@evil.example", "https://a.example"), ("https://a.example#@evil.example", "https://a.example"),
        ] {
            #expect(WebAddress(text)?.origin == origin, "\(text)")
        }
        for text in [
            "", "a.example", "//a.example", "https:a.example", "https:/a.example", "https:///a.example", "ftp://a.example",
            "javascript://a.example/%0aalert(1)", "https://u@a.example", "https://a.example@evil.example",
            "https://a.example\\@evil.example",
            "https://evil.example\\.a.example", "https://a.example%2eevil.example", "https://a.example%00", " https://a.example",
            "ht\ttps://a.example", "https://a.exam\tple", "https://a.example.", "https://a.example:", "https://bücher.example",
        ] {
            #expect(WebAddress(text) == nil, "\(text)")
        }
    }

    @Test("reading takes linear time, whatever is sent")
    func linear() {
        for unit in ["a\u{301}", "\u{301}", ".", "a.", "[", ":", "%", "👨‍👩‍👧‍👦"] {
            let text = "https://" + String(repeating: unit, count: 100_000)
            #expect(WebAddress(text) == nil && HostName(text) == nil && Authority(text) == nil)
        }
    }

    @Test("no mail goes to local parts over 64 bytes and to hosts that are numbers")
    func mailable() {
        let longest = String(repeating: "a", count: 64)
        for address in ["\(longest)@b.example", "a@localhost", "a..b@c.example", "a@1.example"] {
            #expect(EmailAddress.isMailable(address), "\(address)")
        }
        for address in [
            "a\(longest)@b.example", "a@127.0.0.1", "a@1", "a@b.1", "a@1.2.3.4.5", "a@0x7f", "a@b..c", "a@b_c", "a@b.",
        ] {
            #expect(!EmailAddress.isMailable(address), "\(address)")
            #expect(EmailAddress.canonicalNew(address, mode: .production) == nil, "\(address)")
        }
        // A user who already has such an address signs in with it as before.
        #expect(EmailAddress.canonical("A\(longest)@127.0.0.1") == "a\(longest)@127.0.0.1")
    }
}
