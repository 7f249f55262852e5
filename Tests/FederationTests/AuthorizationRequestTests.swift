import Federation
import Project
import Testing

@Suite("Scopes and answers of flows")
struct AuthorizationRequestTests {
    @Test("scopes are read in each of their spellings")
    func scopes() {
        #expect(OAuthScopes.parse("a b,c  d", providerID: "x.com") == ["a", "b", "c", "d"])
        #expect(OAuthScopes.parse("", providerID: "x.com").isEmpty)
        #expect(OAuthScopes.parse(#"{"x.com": "a b", "y.com": "c"}"#, providerID: "x.com") == ["a", "b"])
        #expect(OAuthScopes.parse(#"{"y.com": "c"}"#, providerID: "x.com").isEmpty)
        #expect(OAuthScopes.parse(#"{"x.com": "a"}"#, providerID: nil).isEmpty)
    }

    @Test(
        "an answer is told from a credential",
        arguments: [
            ("https://a.example/?state=s&code=c", nil, FlowKey.state("s")),
            ("https://a.example/?state=s&code=c", "providerId=oidc.x", .state("s")),
            ("https://a.example/#state=s&id_token=t", nil, .state("s")),
            ("https://a.example/", "state=s&id_token=t&user=%7B%7D", .state("s")),
            ("https://a.example/?oauth_token=t&oauth_verifier=v", nil, .requestToken("t")),
            ("https://a.example/?denied=t", nil, .requestToken("t")),
            ("https://a.example/?code=c", nil, nil), ("https://a.example/", "providerId=a.com&id_token=t", nil),
            ("https://a.example/?state=s", "providerId=a.com&access_token=t", nil),
            ("https://a.example/", "providerId=a.com&code=c", nil),
        ] as [(String, String?, FlowKey?)]
    )
    func answers(requestURI: String, postBody: String?, key: FlowKey?) {
        #expect(AuthorizationAnswer(CredentialForm(requestURI: requestURI, postBody: postBody))?.key == key)
    }

    @Test("a request token never finds the flow of a state")
    func keys() {
        #expect(FlowKey.state("x").text != FlowKey.requestToken("x").text)
    }

    // RFC 5849 has no complete vector with HMAC-SHA1 and its secrets. This one is from X's documentation.
    @Test("OAuth 1.0a headers carry X's own example's signature")
    func signature() {
        let signer = OAuth1Signature(
            consumerKey: "xvz1evFS4wEEPTGEFPHBog",
            consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
            token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
            tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE",
            nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
            timestamp: 1_318_622_958
        )
        let header = signer.authorizationHeader(
            method: "POST",
            url: "https://api.twitter.com/1.1/statuses/update.json",
            parameters: [
                ("status", "Hello Ladies + Gentlemen, a signed OAuth request!"), ("include_entities", "true"),
            ]
        )
        #expect(header.contains(#"oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D""#))
    }
}
