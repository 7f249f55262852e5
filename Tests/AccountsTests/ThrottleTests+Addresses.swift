import Project
import Settings
import Storage
import TestKit
import Testing

@testable import Accounts

extension ThrottleTests {
    @Test("a right password resets the account's failures, and gives the address its own try back but no other")
    func success() async throws {
        var limits = try await Self.limits()
        limits.password.failuresPerAddressPerHour = 12
        let bench = try await Bench(limits)
        try await bench.addVictim()
        #expect(try await bench.allowed(9) { try await bench.guess(from: "192.0.2.1") } == 9)
        try await bench.signIn(from: "192.0.2.1")
        for _ in 0..<30 { try await bench.signIn("own@example.com", from: "192.0.2.1") }
        // Nine failures still count for the address, although it has signed in since.
        #expect(try await bench.allowed(9) { try await bench.guess(from: "192.0.2.1") } == 3)
        #expect(try await bench.allowed(50) { try await bench.guess(from: "192.0.2.2") } == 10)
    }

    @Test("strangers cannot lock the owner out of an address that has signed in before (THR-01, THR-09)")
    func usualAddress() async throws {
        let bench = try await Bench(Self.limits())
        try await bench.addVictim()
        try await bench.signIn(from: "2001:db8::1")
        #expect(try await bench.allowed(50) { try await bench.guess(from: "192.0.2.1") } == 10)
        for _ in 0..<5 { try await bench.signIn(from: "2001:db8::2") }
        // The owner's successes do not help the strangers, and the owner's failures do not hurt them.
        #expect(try await bench.refusal { try await bench.guess(from: "192.0.2.2") } == 1)
        #expect(try await bench.allowed(50) { try await bench.guess(from: "2001:db8::3") } == 10)
        // For other addresses the lock is a delay.
        bench.clock.advance(by: .seconds(1))
        try await bench.signIn(from: "192.0.2.3")
        #expect(try await bench.allowed(50) { try await bench.guess(from: "192.0.2.4") } == 10)
    }

    @Test("strangers cannot use up the messages of a proven address's owner, nor administrators' (OOB-11)")
    func ownMails() async throws {
        var limits = try await Self.limits()
        limits.email.perRecipientPerHour = 5
        let bench = try await Bench(limits)
        try await bench.addVictim(isVerified: true)
        try await bench.signIn(from: "2001:db8::1")
        func mails(from address: String?, isPrivileged: Bool = false) async throws -> Int {
            try await bench.allowed(20) {
                try await bench.mail(to: "Victim@example.com", from: address, isPrivileged: isPrivileged)
            }
        }
        #expect(try await mails(from: "192.0.2.1") == 5)
        #expect(try await mails(from: "192.0.2.2") == 0)
        #expect(try await mails(from: nil) == 0)
        // Requests from the owner's network, and from callers for many clients.
        #expect(try await mails(from: "2001:db8::2") == 5)
        #expect(try await mails(from: "192.0.2.1", isPrivileged: true) == 5)
        // A network is known for one account only, and for 90 days.
        #expect(try await bench.allowed(20) { try await bench.mail(to: "other@example.com", from: "2001:db8::1") } == 5)
        bench.clock.advance(by: .seconds(86_400 * 90))
        #expect(try await mails(from: "192.0.2.1") == 5)
        #expect(try await mails(from: "2001:db8::1") == 0)
    }

    @Test("an address that was never proven gives nobody a share of its own, so that a planted account bombs no mailbox")
    func plantedMails() async throws {
        var limits = try await Self.limits()
        limits.email.perRecipientPerHour = 5
        let bench = try await Bench(limits)
        try await bench.addVictim()
        for network in 1...3 {
            try await bench.signIn(from: "192.0.2.\(network)")
            let sent = try await bench.allowed(20) {
                try await bench.mail(to: "victim@example.com", from: "192.0.2.\(network)")
            }
            #expect(sent == (network == 1 ? 5 : 0))
        }
    }

    @Test("one mail a day by which an address is proven gets through, whoever has used up the others, and asks (OOB-11)")
    func proofMails() async throws {
        var limits = try await Self.limits()
        limits.email.perRecipientPerHour = 5
        let bench = try await Bench(limits)
        func proofs(of email: String, from address: String) async throws -> Int {
            try await bench.allowed(9) { try await bench.mail(.verifyEmail, to: email, from: address) }
        }
        #expect(try await bench.allowed(9) { try await bench.mail(to: "new@example.com", from: "192.0.2.1") } == 5)
        #expect(try await proofs(of: "New@example.com", from: "192.0.2.2") == 1)
        // Whichever account and network asks: a stranger who signs up again and again gets no more.
        #expect(try await proofs(of: "new@example.com", from: "192.0.2.3") == 0)
        #expect(try await bench.allowed(9) { try await bench.mail(to: "new@example.com", from: "192.0.2.3") } == 0)
        bench.clock.advance(by: .seconds(3600))
        #expect(try await proofs(of: "new@example.com", from: "192.0.2.3") == 5)
        bench.clock.advance(by: .seconds(86_400 - 3600))
        #expect(try await proofs(of: "new@example.com", from: "192.0.2.3") == 6)
        // The network of the stranger has its limit all the same.
        limits.email.perAddressPerHour = 3
        let narrow = try await Bench(limits)
        #expect(try await narrow.allowed(9) { try await narrow.mail(.verifyEmail, to: "a@example.com", from: nil) } == 3)
    }

    @Test("an address is usual for 90 days after its last sign-in, and only for the account that signed in")
    func usualAddressExpires() async throws {
        let bench = try await Bench(Self.limits())
        try await bench.addVictim()
        try await bench.signIn(from: "192.0.2.1")
        bench.clock.advance(by: .seconds(86_400 * 90 - 1))
        #expect(try await bench.allowed(11) { try await bench.guess(from: "192.0.2.9") } == 10)
        #expect(try await bench.refusal { try await bench.guess(from: "192.0.2.1") } == nil)
        #expect(try await bench.allowed(11) { try await bench.guess("other@example.com", from: "192.0.2.9") } == 10)
        #expect(try await bench.refusal { try await bench.guess("other@example.com", from: "192.0.2.1") } == 1)
        bench.clock.advance(by: .seconds(1))
        #expect(try await bench.allowed(11) { try await bench.guess(from: "192.0.2.9") } == 1)
        #expect(try await bench.refusal { try await bench.guess(from: "192.0.2.1") } == 2)
    }

    @Test("clients without an address are one, which is usual for nobody")
    func unknownAddress() async throws {
        var limits = try await Self.limits()
        limits.signUp.perAddressPerHour = 1
        let bench = try await Bench(limits)
        try await bench.addVictim()
        try await bench.signUp(from: nil)
        #expect(try await bench.refusal { try await bench.signUp(from: "not an address") } == 3600)
        #expect(try await bench.refusal { try await bench.signUp(from: "192.0.2.1") } == nil)
        try await bench.signIn(from: nil)
        #expect(try await bench.allowed(11) { try await bench.guess(from: "192.0.2.9") } == 10)
        #expect(try await bench.refusal { try await bench.guess(from: nil) } == 1)
    }

    @Test("an account that is there and one that is not are throttled alike (ENU-04)")
    func unknownAccounts() async throws {
        let bench = try await Bench(Self.limits())
        try await bench.addVictim()
        for _ in 0..<30 {
            let known = try await bench.refusal { try await bench.guess("Victim@example.com", from: "192.0.2.1") }
            let unknown = try await bench.refusal { try await bench.guess("nobody@example.com", from: "192.0.2.1") }
            #expect(known == unknown)
            bench.clock.advance(by: .milliseconds(700))
        }
    }

    @Test("one IPv6 network, and IPv4 in either form, is one client (THR-06)")
    func networks() async throws {
        for (first, second, isSame) in [
            ("192.0.2.1", "::ffff:192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("fe80::1%eth0", "fe80::2", true), ("192.0.2.1", "c000:0201::", false),
        ] {
            let bench = try await Bench(Self.limits(1))
            try await bench.signUp(from: first)
            #expect(try await bench.refusal { try await bench.signUp(from: second) } == (isSame ? 3600 : nil), "\(second)")
        }
    }
}
