package import Project

/// A tab of ``Chromium`` with the actions of a person.
package struct BrowserPage: Sendable {
    let browser: Chromium
    let session: String
    /// The id of the tab.
    package let target: String

    /// Goes to an address.
    package func navigate(_ address: String) async throws {
        _ = try await browser.send("Page.navigate", ["url": .string(address)], session: session)
    }

    /// Runs a script as a user action, and waits for the promise that it may return.
    @discardableResult
    package func run(_ script: String) async throws -> JSONValue {
        try await run(script, patience: Chromium.patience)
    }

    private func run(_ script: String, patience: Duration) async throws -> JSONValue {
        let answer = try await browser.send(
            "Runtime.evaluate",
            ["expression": .string(script), "awaitPromise": true, "returnByValue": true, "userGesture": true],
            session: session,
            patience: patience
        )
        if let problem = answer["exceptionDetails"] { throw Chromium.Failure.refused(problem.text) }
        return answer["result"]?["value"] ?? .null
    }

    /// Runs a script once a condition holds, also after page changes.
    @discardableResult
    package func run(_ script: String, once condition: String) async throws -> JSONValue {
        let end = ContinuousClock.now + Chromium.patience
        while ContinuousClock.now < end {
            try Task.checkCancellation()
            do {
                // The wait is short, because a page that is left takes its answer with it. Timers of a page whose scripts are
                // forbidden never fire, so it is asked again and again.
                if try await run("Boolean(\(condition))", patience: .seconds(10)) == true { return try await run(script) }
                try await Task.sleep(for: .milliseconds(20))
            } catch Chromium.Failure.late {
                continue
            } catch Chromium.Failure.refused(let reason) where Self.isNavigation(reason) {
                continue
            }
        }
        throw Chromium.Failure.late(condition)
    }

    /// Clicks with the mouse, once the element exists and is visible.
    package func click(_ selector: String) async throws {
        let element = "document.querySelector('\(selector)')"
        let box = try await run(
            """
            (() => { const element = \(element); element.scrollIntoView(); const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; })()
            """,
            once: "\(element) && !\(element).disabled && \(element).getClientRects().length"
        )
        try await click(x: box.array?[0] ?? 0, y: box.array?[1] ?? 0)
    }

    /// Clicks with the mouse at a place of the window.
    package func click(x: JSONValue, y: JSONValue) async throws {
        for type in ["mousePressed", "mouseReleased"] {
            let event: JSONValue = ["type": .string(type), "x": x, "y": y, "button": "left", "clickCount": 1]
            _ = try await browser.send("Input.dispatchMouseEvent", event, session: session)
        }
    }

    /// Chooses a file in a field.
    package func choose(file path: String, in selector: String) async throws {
        let answer = try await browser.send(
            "Runtime.evaluate",
            ["expression": .string("document.querySelector('\(selector)')")],
            session: session
        )
        let parameters: JSONValue = ["files": [.string(path)], "objectId": answer["result"]?["objectId"] ?? .null]
        _ = try await browser.send("DOM.setFileInputFiles", parameters, session: session)
    }

    /// Presses a key.
    package func press(_ key: Key) async throws {
        for type in ["keyDown", "keyUp"] {
            var event: JSONValue = [
                "type": .string(type), "key": .string(key.rawValue), "code": .string(key.rawValue),
                "windowsVirtualKeyCode": key == .tab ? 9 : 13,
            ]
            if key == .enter, type == "keyDown" { event["text"] = "\r" }
            _ = try await browser.send("Input.dispatchKeyEvent", event, session: session)
        }
    }

    /// The keys that people need to operate a page.
    package enum Key: String, Sendable {
        case tab = "Tab"
        case enter = "Enter"
    }

    /// Types text at the cursor.
    package func type(_ text: String) async throws {
        _ = try await browser.send("Input.insertText", ["text": .string(text)], session: session)
    }

    /// Gives the tab an authenticator with passkeys, whose user is always there and verified.
    package func addAuthenticator() async throws {
        _ = try await browser.send("WebAuthn.enable", [:], session: session)
        let options: JSONValue = [
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true,
            "isUserVerified": true, "automaticPresenceSimulation": true,
        ]
        _ = try await browser.send("WebAuthn.addVirtualAuthenticator", ["options": options], session: session)
    }

    /// Sets the width of the window, and whether its user likes dark pages.
    package func resize(width: Int, isDark: Bool = false) async throws {
        let size: JSONValue = ["width": .integer(Int64(width)), "height": 900, "deviceScaleFactor": 1, "mobile": false]
        _ = try await browser.send("Emulation.setDeviceMetricsOverride", size, session: session)
        let scheme: JSONValue = ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]
        // A colour on its way from one to the other is neither.
        let still: JSONValue = ["name": "prefers-reduced-motion", "value": "reduce"]
        _ = try await browser.send("Emulation.setEmulatedMedia", ["features": [scheme, still]], session: session)
    }

    /// Says another name of the browser in requests.
    package func callItself(_ userAgent: String) async throws {
        _ = try await browser.send("Emulation.setUserAgentOverride", ["userAgent": .string(userAgent)], session: session)
    }

    /// Allows scripts, or forbids them.
    package func allowScripts(_ isAllowed: Bool) async throws {
        _ = try await browser.send("Emulation.setScriptExecutionDisabled", ["value": .bool(!isAllowed)], session: session)
    }

    /// The problems of the page for people with a small screen, a screen reader, or only a keyboard.
    package func complaints() async throws -> [String] {
        let size: JSONValue = ["width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": true]
        _ = try await browser.send("Emulation.setDeviceMetricsOverride", size, session: session)
        let found = try await run(
            """
            (() => {
              const wrong = [], all = selector => [...document.querySelectorAll(selector)].filter(e => e.getClientRects().length);
              if (!document.title.trim()) wrong.push('no title');
              if (!document.documentElement.lang) wrong.push('no language');
              if (!document.querySelector('meta[name=viewport]')) wrong.push('no viewport');
              if (all('main').length !== 1) wrong.push('no main');
              if (all('h1').length !== 1) wrong.push('no heading');
              if (document.documentElement.scrollWidth > 320) wrong.push('too wide');
              for (const e of all('input')) if (!e.labels.length) wrong.push('no label: ' + e.outerHTML);
              for (const e of all('button, a')) {
                if (!e.textContent.trim()) wrong.push('no text: ' + e.outerHTML);
                if (e.tabIndex < 0) wrong.push('out of reach: ' + e.outerHTML);
                if (e.getBoundingClientRect().height < 24) wrong.push('too small: ' + e.outerHTML);
              }
              return wrong;
            })()
            """,
            once: "document.readyState === 'complete'"
        )
        return (found.array ?? []).compactMap(\.string)
    }

    private static func isNavigation(_ reason: String) -> Bool {
        ["navigated", "destroyed", "Cannot find context", "Cannot find default execution context"].contains {
            reason.contains($0)
        }
    }
}
