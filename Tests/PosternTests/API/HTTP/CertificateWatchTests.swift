import Foundation
import Project
import Settings
import TestKit
import Testing
import UnixSignals

@testable import Server

@Suite("The watch over a certificate", .teardown)
struct CertificateWatchTests {
    private struct Place {
        let tls: ServerSettings.TLS
        let registry = MetricsRegistry()
        let clock = TestClock(Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        let log = LogCapture()

        func count(_ text: String) -> Int { log.lines.count { $0.contains(text) } }
    }

    private func startWatching(endingIn seconds: Double) async throws -> (Place, CertificateWatch, ServedCertificate, String) {
        let directory = try await makeTemporaryDirectory()
        let files = try TestCertificate(dnsName: "auth", in: directory, endingIn: seconds)
        let variables = [
            "POSTERN_MODE": "development", "POSTERN_SERVER_TLS_CERTIFICATE_FILE": files.certificateFile,
            "POSTERN_SERVER_TLS_PRIVATE_KEY_FILE": files.keyFile,
        ]
        let settings = try SettingsLoader.load(file: nil, environment: variables, surroundings: .ofProcess.withoutUsualFiles)
        let place = Place(tls: try #require(settings.server.tls))
        let pair = try ServedCertificate.Pair(ServedCertificate.Files(place.tls), place.tls)
        let certificate = ServedCertificate(pair, metrics: place.registry)
        let watch = CertificateWatch(
            .init(tls: place.tls, certificate: certificate),
            hangUps: await UnixSignalsSequence(trapping: []),
            now: { place.clock.now },
            logger: place.log.logger()
        )
        await watch.look(isAsked: false)
        return (place, watch, certificate, directory)
    }

    @Test("warns from 14 days before its end, once a day, and tells monitors the time of its end")
    func end() async throws {
        let days = 86_400.0
        let (place, watch, certificate, directory) = try await startWatching(endingIn: 15 * days)
        let line = "postern_certificate_expiration_timestamp_seconds \(certificate.notAfter.seconds)\n"
        #expect(place.registry.text.contains(line), "\(place.registry.text)")
        #expect(place.count("ends soon") == 0)
        place.clock.advance(by: .seconds(2 * days))
        for _ in 0..<3 { await watch.look(isAsked: false) }
        #expect(place.count("ends soon") == 1)
        place.clock.advance(by: .seconds(days + 1))
        await watch.look(isAsked: false)
        #expect(place.count("ends soon") == 2)
        place.clock.advance(by: .seconds(13 * days))
        await watch.look(isAsked: false)
        #expect(place.count("has ended") == 1)
        _ = try TestCertificate(dnsName: "auth", in: directory, endingIn: 90 * days)
        await watch.look(isAsked: false)
        #expect(place.count("are in use") == 1)
        #expect(place.registry.text.contains(" \(certificate.notAfter.seconds)\n"))
        await watch.look(isAsked: false)
        #expect(place.count("ends soon") + place.count("has ended") == 3)
    }

    @Test("says once that new files are broken, when they still are at the next look, and keeps the pair before")
    func broken() async throws {
        let (place, watch, certificate, directory) = try await startWatching(endingIn: 86_400)
        let before = certificate.notAfter
        try "no key".write(toFile: place.tls.privateKeyFile, atomically: true, encoding: .utf8)
        await watch.look(isAsked: false)
        #expect(place.count("are not taken up") == 0)
        for _ in 0..<3 { await watch.look(isAsked: false) }
        #expect(place.count("are not taken up") == 1)
        // The certificate of another key.
        let other = try TestCertificate(dnsName: "other", in: directory, endingIn: 90 * 86_400)
        try Data(contentsOf: URL(fileURLWithPath: other.keyFile)).write(to: URL(fileURLWithPath: place.tls.privateKeyFile))
        for _ in 0..<3 { await watch.look(isAsked: false) }
        #expect(place.count("are not taken up") == 2)
        #expect(place.count("the certificate's own key") == 1)
        try FileManager.default.removeItem(atPath: place.tls.certificateFile)
        await watch.look(isAsked: true)
        #expect(place.count("are not taken up") == 3)
        #expect(certificate.notAfter == before)
        #expect(place.count("PRIVATE KEY") == 0)
    }
}
