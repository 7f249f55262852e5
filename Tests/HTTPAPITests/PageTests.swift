import Foundation
import Messaging
import Passwords
import Project
import Testing

@testable import HTTPAPI

@Suite("A page")
struct PageTests {
    @Test("has every text in every language, none of them English elsewhere", arguments: EmailLanguage.allCases)
    func texts(language: EmailLanguage) throws {
        let texts = try PageTexts.of(language)
        let email = "a@b.c"
        let actions = [
            texts.resetPassword, texts.verifyEmail, texts.changeEmail, texts.recoverEmail, texts.removeSecondFactor,
            texts.offerReset, texts.secureAccount,
        ]
        let requirements: [PasswordPolicy.Violation] = [
            .minimumLength(8), .maximumLength(30), .missingLowercase, .missingUppercase, .missingNumeric, .missingNonAlphanumeric,
        ]
        let messages = [
            texts.signIn, texts.invalidLink, texts.incompleteLink, texts.openInApp, texts.disabledAccount, texts.addressTaken,
            texts.addressHeld, texts.notAvailable, texts.tooManyAttempts, texts.foreignForm, texts.failure, texts.handler.close,
            texts.handler.open,
            texts.handler.verify, texts.handler.over, texts.handler.incomplete, texts.handler.foreignPage,
        ]
        let all =
            actions.flatMap { [$0.title, Self.text($0.lead.html(email)), $0.button, Self.text($0.done.html(email))] }
            + requirements.map(texts.text)
            + messages.flatMap { [$0.title, $0.text] } + [texts.newPassword, texts.requirementsLead, texts.unmetLead, texts.next]
        for text in all {
            #expect(!text.trimmingCharacters(in: .whitespaces).isEmpty)
            // The texts need no escaping, since their apostrophes are typographic.
            #expect(HTMLText.escape(text) == text)
        }
        for action in actions { #expect(action.lead.html(email).document.contains("<bdi>\(email)</bdi>")) }
        #expect(texts.text(.minimumLength(8)).contains("8"))
        #expect(texts.text(.maximumLength(30)).contains("30"))
        #expect(texts.direction == (language == .arabic ? "rtl" : "ltr"))
        guard language != .english else { return }
        #expect(texts.resetPassword.title != (try PageTexts.of(.english)).resetPassword.title)
    }

    private static func text(_ html: HTML) -> String {
        switch html {
        case .text(let text): text
        case .several(let pieces): pieces.map(text).joined()
        case .element(_, _, let content): text(content)
        case .data, .source: ""
        }
    }

    @Test("shows values as text, wherever they stand")
    func escaping() throws {
        // With the mark, the quote is a character that is not equal to a quote.
        let hostile = "\"\u{0301}'><img src=x>&{{style}}"
        var page = Page(.english, app: hostile, title: hostile)
        page.paragraphs = [try PageTexts.of(.english).resetPassword.lead.html(hostile)]
        page.alert = Page.List(lead: hostile, items: [hostile])
        page.form = Page.Form(fields: [(hostile, hostile)], button: hostile)
        page.form?.password = Page.Password(username: hostile, requirements: Page.List(lead: hostile, items: [hostile]))
        page.next = URLComponents(string: "https://app.example.com/?a=1&b='%22%3E")
        let html = try page.html().document
        #expect(!html.contains("<img") && html.contains("&quot;\u{0301}&#39;&gt;"))
        #expect(html.contains("&lt;img src=x&gt;&amp;{{style}}"))
        #expect(html.contains("href=\"https://app.example.com/?a=1&amp;b=&#39;%22%3E\""))
    }

    @Test("passes a link's parameters on, each once, beside those that the app's address has")
    func handOver() throws {
        let parameters = ActionParameters("mode=signIn&continueUrl=x&a=1&a=2&b=%26%3D&+c=d")
        let address = try #require(URLComponents(string: "https://app.example.com?own=%20&mode=x#f"))
        let target = parameters.handOver(to: address).string
        #expect(target == "https://app.example.com/?own=%20&mode=signIn&a=2&b=%26%3D&%20c=d#f")
    }
}
