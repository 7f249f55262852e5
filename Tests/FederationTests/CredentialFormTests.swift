import Federation
import Testing

@Suite("A provider's answer is read from URL and body")
struct CredentialFormTests {
    private func form(_ uri: String, _ body: String? = nil) -> CredentialForm { CredentialForm(requestURI: uri, postBody: body) }

    @Test("the body goes before the query, the fragment before both")
    func precedence() {
        let all = form("http://x/cb?providerId=a.com&id_token=q&code=c#id_token=f", "providerId=B.com&id_token=b&nonce=n")
        #expect(all["providerId"] == "B.com")
        #expect(all["id_token"] == "f")
        #expect(all["code"] == "c")
        #expect(all.credential?.providerID == "b.com")
        #expect(all.credential?.nonce == "n")
    }

    @Test("an encoded body is decoded as a form")
    func encoded() {
        let body = form(
            "http://x",
            "providerId=apple.com&user=%7B%22name%22%3A%7B%22firstName%22%3A%22A%26B+C%22%7D%7D&nonce=a%2Bb"
        )
        #expect(body["user"] == #"{"name":{"firstName":"A&B C"}}"#)
        #expect(body["nonce"] == "a+b")
    }

    @Test("a raw body, as iOS sends it, is taken literally and split only before known names")
    func raw() {
        let body = form(
            "http://x",
            #"providerId=apple.com&id_token=a.b.c&nonce=x+y=z&user={"name":{"firstName":"A & B","lastName":"=1&2"}}"#
        )
        #expect(body["nonce"] == "x+y=z")
        #expect(body["user"] == #"{"name":{"firstName":"A & B","lastName":"=1&2"}}"#)
        #expect(body["id_token"] == "a.b.c")
    }

    @Test("an unknown parameter of a raw body is nobody's value, except within free text")
    func unknownRaw() {
        let body = form(
            "http://x",
            "id_token=a.b.c&providerId=google.com&foo=bar&access_token=t&&more&oauth_token_secret=s&~&x=1&"
        )
        #expect(body["id_token"] == "a.b.c")
        #expect(body["providerId"] == "google.com")
        // A piece without "=" is not a parameter. It continues the value before it, except for the provider's name.
        #expect(body["access_token"] == "t&&more")
        #expect(body["oauth_token_secret"] == "s&~")
        #expect(form("http://x", "id_token=a.b.c&providerId=google.com&foo")["providerId"] == "google.com")
        #expect(body["foo"] == "bar")
        let text = form("http://x", #"providerId=a.com&nonce=x&y=z&&w&id_token=t&user={"a":"b&c&&d"}&"#)
        #expect(text["nonce"] == "x&y=z&&w")
        #expect(text["id_token"] == "t")
        #expect(text["user"] == #"{"a":"b&c&&d"}"#)
    }

    @Test("a stray percent sign stands for itself", arguments: ["100%", "%", "%zz", "%4", "a%2"])
    func strayPercent(value: String) {
        #expect(form("http://x", "providerId=a.com&nonce=\(value)")["nonce"] == value)
        #expect(form("http://x?nonce=\(value)")["nonce"] == value)
    }

    @Test("empty and absent are the same, and no provider means no credential")
    func empty() {
        #expect(form("http://x", "providerId=&id_token=x").credential == nil)
        #expect(form("http://x", "").credential == nil)
        #expect(form("http://x", "&&=&providerId=a.com&id_token=").credential?.idToken == nil)
    }
}
