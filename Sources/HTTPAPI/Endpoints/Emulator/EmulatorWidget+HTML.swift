import Project
import Storage

extension EmulatorWidget {
    static func html(_ provider: String, nonce: String, _ accounts: [IdentityRecord]) -> HTML {
        HTML("html", ["lang": "en"]) {
            HTML("head") {
                HTML("meta", ["charset": "utf-8"])
                HTML("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
                HTML("meta", ["name": "robots", "content": "noindex"])
                HTML("title", "Auth Emulator IDP Login Widget")
                HTML("style", ["nonce": nonce]) { HTML.source(Array((PageLayout.style + style).utf8)) }
            }
            HTML("body") {
                HTML("main", ["id": "main"]) {
                    HTML("p", ["class": "app"], "Development mode: nothing here is verified.")
                    HTML("h1") {
                        "Sign in with "
                        HTML("span", ["class": "js-provider-id provider-name"], provider)
                    }
                    HTML("div", ["class": "alert", "role": "alert", "id": "page-error", "hidden": true]) { HTML("p") }
                    let warning = "The \(provider) widget of the emulator; no password is asked for."
                    HTML("p", ["class": "js-signin-warning hint"], warning)
                    choice(provider, accounts)
                    form(provider)
                }
                HTML("script", ["nonce": nonce]) { HTML.source(PackageResources.widget_js) }
            }
        }
    }

    private static let style = """

        ul#accounts-list{list-style:none;padding:0}
        #accounts-list button{margin-bottom:8px;text-align:start;background:var(--card);color:inherit;border:1px solid var(--line)}
        .fallback-secondary-text{display:block;color:var(--quiet);font-size:.9rem;font-weight:400}
        #main-form button{margin-bottom:8px}
        button:disabled{opacity:.5;cursor:default}

        """

    private static func choice(_ provider: String, _ accounts: [IdentityRecord]) -> HTML {
        let help =
            accounts.isEmpty
            ? "No \(provider) accounts exist in the emulator." : "Please select an existing account or add a new one."
        return HTML("section", ["id": "accounts"]) {
            HTML("p", ["class": "js-accounts-help-text"], help)
            HTML("ul", ["id": "accounts-list"]) { accounts.map(account) }
            HTML("button", ["type": "button", "class": "js-new-account"], "Add new account")
        }
    }

    private static func account(_ identity: IdentityRecord) -> HTML {
        var claims: JSONValue = [
            "sub": .string(identity.rawID), "iss": "", "aud": "", "exp": 0, "iat": 0,
            "email": .string(identity.email ?? ""), "email_verified": true,
        ]
        if let name = identity.displayName { claims["name"] = .string(name) }
        if let name = identity.screenName { claims["screen_name"] = .string(name) }
        if let photo = identity.photoURL { claims["picture"] = .string(photo) }
        return HTML("li", ["class": "js-reuse-account", "data-id-token": PercentEncoding.encode(claims.text)]) {
            HTML("button", ["type": "button"]) {
                HTML("span", identity.displayName ?? "(No display name)")
                " "
                HTML("span", ["class": "fallback-secondary-text", "id": "reuse-email"], identity.email ?? "")
            }
        }
    }

    private static func form(_ provider: String) -> HTML {
        let email: HTML.Attributes = ["autocomplete": "off", "required": true, "aria-describedby": "email-error"]
        return HTML("form", ["id": "main-form", "hidden": true, "novalidate": true]) {
            HTML("button", ["type": "button", "id": "autogen-button"], "Auto-generate user information")
            HTML("label", ["for": "email-input"], "Email")
            HTML("input", ["id": "email-input", "type": "email"], and: email)
            HTML("p", ["class": "hint", "id": "email-error", "role": "status"])
            field("display-name-input", "Display name (optional)")
            field("screen-name-input", "Screen name (optional)")
            field("profile-photo-input", "Profile photo URL (optional)")
            HTML("button", ["type": "submit", "id": "sign-in", "disabled": true], "Sign in with \(provider)")
            HTML("button", ["type": "button", "id": "back-button"], "Back")
        }
    }

    private static func field(_ id: String, _ label: String) -> [HTML] {
        [HTML("label", ["for": id], label), HTML("input", ["id": id, "type": "text", "autocomplete": "off"])]
    }
}
