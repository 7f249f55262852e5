import Foundation
import Project

/// The style and the policy of a page. Unless a page has scripts, it loads and runs nothing and works with forms alone.
enum PageLayout {
    /// The page's style sheet; ``contentSecurityPolicy`` allows this text and no other.
    static let style = """
        :root{color-scheme:light dark;--text:#1b1f24;--quiet:#57606a;--page:#f3f4f6;--card:#fff;--line:#8c959f;--accent:#1a56db;\
        --on-accent:#fff;--alert:#fff1f0;--alert-line:#b42318}
        @media (prefers-color-scheme:dark){:root{--text:#e6edf3;--quiet:#9ea7b3;--page:#0d1117;--card:#161b22;--line:#6e7681;\
        --accent:#7aa2ff;--on-accent:#0d1117;--alert:#2d1513;--alert-line:#ff8a80}}
        *{box-sizing:border-box}
        body{margin:0;padding:24px 16px;min-height:100vh;display:flex;align-items:flex-start;justify-content:center;\
        background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
        main{width:100%;max-width:30rem;margin-top:min(10vh,6rem);padding:clamp(20px,5vw,36px);background:var(--card);\
        border-radius:12px;box-shadow:0 1px 3px rgba(0,0,0,.16);overflow-wrap:anywhere}
        .app{margin:0 0 4px;color:var(--quiet);font-size:.9rem}
        h1{margin:0 0 16px;font-size:1.5rem;line-height:1.25}
        p{margin:0 0 16px}
        ul{margin:4px 0 16px;padding-inline-start:1.4em}
        label{display:block;margin-bottom:6px;font-weight:600}
        input{width:100%;padding:11px 12px;margin-bottom:12px;border:1px solid var(--line);border-radius:8px;background:var(--card);\
        color:inherit;font:inherit}
        button,.button{display:block;width:100%;padding:12px 20px;border:0;border-radius:8px;background:var(--accent);\
        color:var(--on-accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
        button:focus-visible,.button:focus-visible,input:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .hint{color:var(--quiet);font-size:.9rem}
        .alert{margin-bottom:16px;padding:12px 16px 0;border-inline-start:4px solid var(--alert-line);border-radius:6px;\
        background:var(--alert)}
        .alert p{margin:0}
        .alert ul{margin:0;padding-block-end:12px}
        form+form,p+form,.next{margin-top:20px}
        [hidden]{display:none}
        """

    /// The policy of a page with scripts: ``contentSecurityPolicy``, and only scripts with the page's nonce or from the given
    /// sources run.
    static func contentSecurityPolicy(nonce: String, _ policy: Page.Script.Policy) -> String {
        func directive(_ name: String, _ sources: [String]) -> String {
            sources.isEmpty ? "" : "; \(name) \(sources.joined(separator: " "))"
        }
        return contentSecurityPolicy(forms: policy.forms.isEmpty ? ["'self'"] : policy.forms)
            + directive("script-src", ["'nonce-\(nonce)'"] + policy.scripts)
            + directive("frame-src", policy.frames) + directive("connect-src", policy.connections)
    }

    /// The policy forbids scripts, foreign content and frames; forms go to this server only (threat cases OOB-06, WEB-01).
    static let contentSecurityPolicy = contentSecurityPolicy(forms: ["'self'"])

    private static func contentSecurityPolicy(forms: [String]) -> String {
        """
        default-src 'none'; style-src '\(styleHash)'; form-action \(forms.joined(separator: " ")); frame-ancestors 'none'; \
        base-uri 'none'
        """
    }

    private static let styleHash = "sha256-" + Data(sha256(style.utf8)).base64EncodedString()
}
