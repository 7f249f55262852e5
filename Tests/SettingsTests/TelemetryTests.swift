import Foundation
import Project
import Testing

@testable import Settings

@Suite("Telemetry's settings")
struct TelemetryTests {
    private func settings(_ variables: [String: String], _ yaml: String? = nil) async throws -> Settings {
        try await Workspace().load(yaml, variables.merging(["POSTERN_MODE": "development"]) { $1 })
    }

    @Test("send nothing without an endpoint, and nothing when the SDK is disabled")
    func off() async throws {
        #expect(try await !settings([:]).telemetry.isOn)
        let variables = ["OTEL_SDK_DISABLED": "TRUE", "POSTERN_TELEMETRY_ENDPOINT": "http://c:4318"]
        #expect(try await !settings(variables).telemetry.isOn)
    }

    @Test("take the variables of OpenTelemetry's specification")
    func standard() async throws {
        let settings = try await settings([
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "https://m/in",
            "OTEL_LOGS_EXPORTER": "none", "OTEL_EXPORTER_OTLP_HEADERS": "a=1,b=x%20y",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "c=2", "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
            "OTEL_SERVICE_NAME": "auth", "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,deployment.environment.name=prod",
            "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.25",
            "OTEL_BSP_MAX_QUEUE_SIZE": "100", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "500", "OTEL_BSP_SCHEDULE_DELAY": "20",
            "OTEL_METRIC_EXPORT_INTERVAL": "1500", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json",
        ])
        let telemetry = settings.telemetry
        #expect(telemetry.traces?.url.text == "http://c:4318/v1/traces")
        #expect(telemetry.metrics?.url.text == "https://m/in")
        #expect(telemetry.logs == nil)
        #expect(telemetry.traces?.headers.map { "\($0.name)=\($0.value.reveal())" } == ["c=2"])
        #expect(telemetry.metrics?.headers.map { "\($0.name)=\($0.value.reveal())" } == ["a=1", "b=x y"])
        #expect(telemetry.traces?.timeout == .milliseconds(2500))
        #expect(telemetry.resource.map { "\($0.name)=\($0.value)" } == ["service.name=auth", "deployment.environment.name=prod"])
        #expect(telemetry.sampler == .init(ratio: 0.25, followsParent: true))
        #expect(telemetry.spanQueue == .init(size: 100, batch: 100, delay: .milliseconds(20)))
        #expect(telemetry.metricsInterval == .milliseconds(1500))
        #expect(settings.warnings.isEmpty)
    }

    @Test("put Postern's own keys before them")
    func precedence() async throws {
        let yaml = "mode: development\ntelemetry: {endpoint: 'http://own:4318', serviceName: mine, traces: {sampleRatio: 0.5}}\n"
        let telemetry = try await settings(
            [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SERVICE_NAME": "auth", "OTEL_TRACES_SAMPLER": "always_on",
                "OTEL_TRACES_EXPORTER": "none", "POSTERN_TELEMETRY_TRACES_ENABLED": "true",
                "POSTERN_TELEMETRY_HEADERS": "x=1,y=2",
            ],
            yaml
        ).telemetry
        #expect(telemetry.traces?.url.text == "http://own:4318/v1/traces")
        #expect(telemetry.resource.first?.value == "mine")
        #expect(telemetry.sampler == .init(ratio: 0.5, followsParent: true))
        #expect(telemetry.logs?.headers.map(\.name) == ["x", "y"])
        #expect(try await settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c"]).telemetry.sampler.ratio == 0.01)
    }

    @Test(
        "warn of a variable that cannot be heeded, and go on without it",
        arguments: [
            ("OTEL_TRACES_SAMPLER", "jaeger_remote"), ("OTEL_BSP_MAX_QUEUE_SIZE", "many"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"), ("OTEL_RESOURCE_ATTRIBUTES", "nonsense"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1"),
        ]
    )
    func warnings(name: String, value: String) async throws {
        let settings = try await settings(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", name: value])
        #expect(settings.warnings.contains { $0.hasPrefix("\(name) is not heeded") }, "\(settings.warnings)")
        #expect(settings.telemetry.traces != nil)
        #expect(settings.telemetry.sampler.ratio == 0.01)
    }
}
