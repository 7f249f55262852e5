import Project
import Testing

@testable import HTTPAPI

@Suite("The client's address")
struct ClientAddressTests {
    private let address = ClientAddress(trusted: [CIDR("10.0.0.0/8")!, CIDR("::1")!])

    @Test("is the peer's when nobody is in front, whatever the header says")
    func untrusted() {
        #expect(address.resolve(peer: "203.0.113.9", forwardedFor: "1.2.3.4") == "203.0.113.9")
        #expect(ClientAddress(trusted: []).resolve(peer: "10.0.0.1", forwardedFor: "1.2.3.4") == "10.0.0.1")
    }

    @Test("is the last hop that a trusted proxy does not stand for")
    func trusted() {
        #expect(address.resolve(peer: "10.0.0.1", forwardedFor: "1.2.3.4") == "1.2.3.4")
        #expect(address.resolve(peer: "10.0.0.1", forwardedFor: "6.6.6.6, 1.2.3.4, 10.9.9.9") == "1.2.3.4")
        #expect(address.resolve(peer: "::1", forwardedFor: "6.6.6.6,1.2.3.4") == "1.2.3.4")
    }

    @Test(
        "is each client's own behind a proxy that writes ports and brackets, as Azure's Application Gateway does",
        arguments: [
            ("1.2.3.4:50432", "1.2.3.4"), ("6.6.6.6:1, 1.2.3.4:50432,10.9.9.9:443", "1.2.3.4"),
            ("[2001:db8::7]:50432", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"), ("2001:db8::7", "2001:db8::7"),
            ("[2001:DB8:0::7]:1, [::1]:443", "2001:db8::7"), (" 1.2.3.4:80\t", "1.2.3.4"),
        ]
    )
    func ports(header: String, client: String) {
        #expect(address.resolve(peer: "10.0.0.1", forwardedFor: header) == client)
    }

    @Test(
        "does not follow what is no address",
        arguments: [
            "", "unknown", "a" + String(repeating: "\u{301}", count: 100_000), "<script>", "1.2.3.4:", "1.2.3.4:x",
            "1.2.3.4:99999",
            "1.2.3.4:80:80", "[2001:db8::1", "2001:db8::1]:80", "[1.2.3.4]:80", "[2001:db8::1]80", "app.example:80", ":80",
        ]
    )
    func garbage(header: String) {
        #expect(address.resolve(peer: "10.0.0.1", forwardedFor: header) == "10.0.0.1")
    }
}
