"""Checks documents of OTLP in JSON, as a collector reads them.

    otlp.py SIGNAL FILE     SIGNAL is traces, metrics or logs

The protocol's own definitions decode the document, and what JSON's mapping alone would let pass is checked before: ids are hexadecimal text,
64-bit integers are text, enumerations are numbers, names are in lowerCamelCase. Prints what the document holds, one JSON object a line. Ends
with 1 and a reason when the document breaks a rule.
"""

import base64
import json
import re
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

MESSAGES = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest, "logs": ExportLogsServiceRequest}
IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
WIDE = re.compile(r"(UnixNano|^intValue|^asInt|^count)$")


class Broken(Exception):
    """A document breaks a rule of the protocol."""


def need(holds, why):
    if not holds:
        raise Broken(why)


def checked(value, name=""):
    """The value with its ids in base64, which is how the library reads bytes."""
    if isinstance(value, dict):
        for key in value:
            need(re.fullmatch(r"[a-z][A-Za-z0-9]*", key), f"the name {key}")
        return {key: checked(member, key) for key, member in value.items()}
    if isinstance(value, list):
        if name == "bucketCounts":
            need(all(isinstance(count, str) and count.isdigit() for count in value), "bucketCounts are not text")
        return [checked(element, name) for element in value]
    if name in IDS:
        need(isinstance(value, str) and re.fullmatch(r"[0-9a-f]{%d}" % IDS[name], value), f"{name} {value}")
        need(value.strip("0"), f"{name} is zero")
        return base64.b64encode(bytes.fromhex(value)).decode()
    if WIDE.search(name):
        need(isinstance(value, str) and re.fullmatch(r"-?[0-9]+", value), f"{name} {value!r} is not text")
    if name in ("kind", "code", "severityNumber", "aggregationTemporality"):
        need(isinstance(value, int) and not isinstance(value, bool), f"{name} {value!r} is not a number")
    return value


def plain(attributes):
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


def spans(message):
    for resource in message.resource_spans:
        need(plain(resource.resource.attributes).get("service.name"), "no service.name")
        for scope in resource.scope_spans:
            for span in scope.spans:
                need(len(span.trace_id) == 16 and len(span.span_id) == 8, "the length of an id")
                need(0 < span.start_time_unix_nano <= span.end_time_unix_nano, "the times of a span")
                need(span.name and span.kind, "a span without name or kind")
                yield {
                    "name": span.name, "kind": span.kind, "trace": span.trace_id.hex(), "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(), "attributes": plain(span.attributes), "status": span.status.code,
                    "state": span.trace_state, "service": plain(resource.resource.attributes)["service.name"],
                }


def metrics(message):
    for resource in message.resource_metrics:
        need(plain(resource.resource.attributes).get("service.name"), "no service.name")
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                kind = metric.WhichOneof("data")
                need(metric.name and metric.description and kind, f"the metric {metric.name}")
                data = getattr(metric, kind)
                if kind != "gauge":
                    need(data.aggregation_temporality == 2, f"the temporality of {metric.name}")
                for point in data.data_points:
                    need(point.time_unix_nano > 0, f"the time of {metric.name}")
                    if kind == "gauge":
                        value = point.as_double
                    elif kind == "sum":
                        need(data.is_monotonic and point.start_time_unix_nano > 0, f"the start of {metric.name}")
                        value = point.as_int if point.WhichOneof("value") == "as_int" else point.as_double
                    else:
                        need(len(point.bucket_counts) == len(point.explicit_bounds) + 1, f"the buckets of {metric.name}")
                        need(sum(point.bucket_counts) == point.count, f"the sum of the buckets of {metric.name}")
                        need(list(point.explicit_bounds) == sorted(set(point.explicit_bounds)), f"the bounds of {metric.name}")
                        value = point.count
                    yield {
                        "name": metric.name, "kind": kind, "unit": metric.unit, "value": value, "attributes": plain(point.attributes),
                    }


def logs(message):
    for resource in message.resource_logs:
        need(plain(resource.resource.attributes).get("service.name"), "no service.name")
        for scope in resource.scope_logs:
            for record in scope.log_records:
                need(record.time_unix_nano > 0 and 1 <= record.severity_number <= 24, "a record without time or severity")
                need(len(record.trace_id) in (0, 16) and len(record.span_id) in (0, 8), "the length of an id")
                yield {
                    "body": record.body.string_value, "severity": record.severity_text, "trace": record.trace_id.hex(),
                    "span": record.span_id.hex(), "attributes": plain(record.attributes),
                }


def main(signal, path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    try:
        message = json_format.ParseDict(checked(document), MESSAGES[signal](), ignore_unknown_fields=False)
        need(message.SerializeToString(), "the document is empty")
        entries = list({"traces": spans, "metrics": metrics, "logs": logs}[signal](message))
    except (Broken, json_format.ParseError) as error:
        print(error, file=sys.stderr)
        return 1
    for entry in entries:
        print(json.dumps(entry))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
