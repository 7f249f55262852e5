import Settings
import Testing

@Suite("The address of an outgoing call")
struct OutboundAddressTests {
    @Test(
        "names its host as it is looked up, so that the name that was checked is the name that is called",
        arguments: [
            ("https://KEYS.Example.COM/Jwks?A=B", "https://keys.example.com/Jwks?A=B"),
            ("HTTPS://Example.com:8443", "HTTPS://example.com:8443"),
            ("https://[2606:4700::ABCD]/x", "https://[2606:4700::abcd]/x"),
            ("https://93.184.216.34/%2e%2e/a", "https://93.184.216.34/%2e%2e/a"),
        ]
    )
    func spelling(written: String, called: String) throws {
        #expect(try #require(WebURL(written)).plainText == called)
    }

    @Test(
        "is refused where its host is written in escapes",
        arguments: [
            "https://%31%32%37.0.0.1/", "https://evil%2eexample.com/", "https://[fe80::1%25eth0]/",
            "https://b%C3%BCcher.example/",
        ]
    )
    func escapes(written: String) {
        #expect(WebURL(written)?.plainText == nil)
    }
}
