import Project
import Storage
import Testing
import Tokens

@Suite("The claims of an ID token")
struct IDTokenTests {
    private func subject(_ change: (inout IDTokenSubject) -> Void = { _ in }) -> IDTokenSubject {
        let time = Timestamp(seconds: 1000)
        let session = SessionRecord(
            tokenHash: [],
            scope: Scope(projectID: "p"),
            localID: "u",
            sessionID: "s",
            signInProvider: "google.com",
            authTime: 900,
            createdAt: time
        )
        var subject = IDTokenSubject(
            scope: Scope(projectID: "p"),
            account: AccountRecord(localID: "u", createdAt: time),
            identities: [],
            session: session
        )
        change(&subject)
        return subject
    }

    private func claims(_ subject: IDTokenSubject, _ mode: ModeRules = .production) -> JSONValue {
        subject.claims(issuer: "https://issuer", issuedAt: 1000, lifetimeSeconds: 3600, mode: mode)
    }

    @Test("name the session in production, beside what Firebase has, and not in development")
    func session() {
        let firebase: JSONValue = ["identities": [:], "sign_in_provider": "google.com"]
        #expect(
            claims(subject(), .production)["firebase"] == ["identities": [:], "session": "s", "sign_in_provider": "google.com"]
        )
        #expect(claims(subject(), .development)["firebase"] == firebase)
    }

    @Test("are the least there can be for an account with nothing")
    func least() {
        #expect(
            claims(subject()) == [
                "iss": "https://issuer", "aud": "p", "sub": "u", "user_id": "u", "auth_time": 900, "iat": 1000, "exp": 4600,
                "firebase": ["identities": [:], "session": "s", "sign_in_provider": "google.com"],
            ]
        )
    }

    @Test("name the account, its identities, and the tenant")
    func full() {
        let all = claims(
            subject {
                $0.scope = Scope(projectID: "p", tenantID: "t")
                $0.account.displayName = "Ada"
                $0.account.photoURL = "https://x/a.png"
                $0.account.email = "a@b.c"
                $0.account.phoneNumber = "+15550001"
                $0.identities = [
                    IdentityRecord(providerID: "google.com", rawID: "1"), IdentityRecord(providerID: "oidc.x", rawID: "2"),
                ]
            }
        )
        #expect(all["name"] == "Ada")
        #expect(all["picture"] == "https://x/a.png")
        #expect(all["email_verified"] == false)
        #expect(all["firebase"]?["tenant"] == "t")
        #expect(
            all["firebase"]?["identities"] == [
                "google.com": ["1"], "oidc.x": ["2"], "email": ["a@b.c"], "phone": ["+15550001"],
            ]
        )
    }

    @Test("say whether an address is verified where there is one, and in development wherever the flag is set (ruling 34)")
    func emailVerified() {
        for (email, flag, production, development) in [
            (nil, nil, nil, nil), (nil, true, nil, true), (nil, false, nil, false), ("a@b.c", nil, false, false),
            ("a@b.c", true, true, true),
        ] as [(String?, Bool?, Bool?, Bool?)] {
            let subject = subject {
                $0.account.email = email
                $0.account.emailVerified = flag
            }
            #expect(claims(subject)["email_verified"]?.bool == production)
            #expect(claims(subject, .development)["email_verified"]?.bool == development)
        }
    }

    @Test("let custom claims replace the profile, session claims replace those, and nothing replace the server's own")
    func precedence() {
        let merged = claims(
            subject {
                $0.account.displayName = "Ada"
                $0.account.email = "a@b.c"
                $0.account.customAttributes =
                    #"{"name":"Custom","role":"a","sub":"evil","aud":"evil","firebase":{},"email":"evil"}"#
                $0.session.claims = #"{"role":"b","exp":1,"user_id":"evil"}"#
            }
        )
        #expect(merged["name"] == "Custom")
        #expect(merged["role"] == "b")
        #expect(merged["sub"] == "u")
        #expect(merged["user_id"] == "u")
        #expect(merged["aud"] == "p")
        #expect(merged["exp"] == 4600)
        #expect(merged["email"] == "a@b.c")
        #expect(merged["firebase"]?["sign_in_provider"] == "google.com")
    }
}
