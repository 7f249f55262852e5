import Testing

@testable import Federation

@Suite("An OAuth 1.0a signature")
struct OAuth1SignatureTests {
    // RFC 5849 §3.4.1.1, with the parameters of §3.4.1.3.1.
    @Test("has the base string of RFC 5849")
    func baseString() {
        let base = OAuth1Signature.baseString(
            method: "post",
            url: "HTTP://EXAMPLE.COM:80/request?ignored=1",
            parameters: [
                ("b5", "=%3D"), ("a3", "a"), ("c@", ""), ("a2", "r b"), ("oauth_consumer_key", "9djdj82h48djs9d2"),
                ("oauth_token", "kkk9d7dh3k39sjv7"), ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"),
                ("oauth_nonce", "7d8f3e4a"), ("c2", ""), ("a3", "2 q"),
            ]
        )
        #expect(
            base
                == "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2"
                + "%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1"
                + "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
        )
    }

    // RFC 5849 §1.2, the request for the photograph.
    @Test("is that of RFC 5849's example")
    func example() {
        let base = OAuth1Signature.baseString(
            method: "GET",
            url: "http://photos.example.net/photos",
            parameters: [
                ("file", "vacation.jpg"), ("size", "original"), ("oauth_consumer_key", "dpf43f3p2l4k3l03"),
                ("oauth_token", "nnch734d00sl2jdk"), ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131202"),
                ("oauth_nonce", "chapoH"),
            ]
        )
        let signature = OAuth1Signature.signature(base, consumerSecret: "kd94hf93k423kf44", tokenSecret: "pfkkdhi9sl3r4s00")
        #expect(signature == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
    }

    // X's developer documentation, "Creating a signature".
    @Test("makes the header of X's documentation")
    func header() {
        let signature = OAuth1Signature(
            consumerKey: "xvz1evFS4wEEPTGEFPHBog",
            consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
            token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
            tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
            nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
            timestamp: 1_318_622_958
        )
        let header = signature.authorizationHeader(
            method: "POST",
            url: "https://api.twitter.com/1.1/statuses/update.json",
            parameters: [
                ("include_entities", "true"), ("status", "Hello Ladies + Gentlemen, a signed OAuth request!"),
            ]
        )
        #expect(header.hasPrefix("OAuth oauth_consumer_key=\"xvz1evFS4wEEPTGEFPHBog\", oauth_nonce="))
        #expect(header.contains("oauth_signature=\"hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D\""))
        #expect(header.contains("oauth_version=\"1.0\""))
        #expect(!header.contains("status"))
    }

    @Test("signs what is extra and puts it into the header; without a token it has none")
    func extra() {
        let signature = OAuth1Signature(
            consumerKey: "k",
            consumerSecret: "s",
            token: nil,
            tokenSecret: nil,
            nonce: "n",
            timestamp: 1
        )
        let callback = signature.authorizationHeader(
            method: "POST",
            url: "https://x",
            extra: [("oauth_callback", "https://a/?b=c")]
        )
        let none = signature.authorizationHeader(method: "POST", url: "https://x/")
        #expect(callback.contains("oauth_callback=\"https%3A%2F%2Fa%2F%3Fb%3Dc\""))
        #expect(!callback.contains("oauth_token"))
        #expect(callback.split(separator: "oauth_signature=").last != none.split(separator: "oauth_signature=").last)
    }
}
