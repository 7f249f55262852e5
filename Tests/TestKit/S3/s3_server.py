"""Amazon S3 as moto plays it, on loopback, with credentials that are checked and with faults on request.

It prints one JSON object a line: what it listens on, each request, and the state of the bucket when it is asked for. Commands are JSON
objects on standard input, one a line. It ends with its input.
"""

import argparse
import hashlib
import json
import logging
import socket
import ssl
import sys
import threading

from moto import settings
from moto.core.authorization import ActionAuthenticatorMixin
from moto.iam.models import iam_backends
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from moto.sts.models import sts_backends
from werkzeug.serving import make_server

ACCOUNT = "123456789012"
REGION = "eu-west-1"
BUCKET = "backups"
POLICY = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]})

printing = threading.Lock()


def say(event, **facts):
    with printing:
        print(json.dumps({"event": event} | facts), flush=True)


def credentials():
    """A user's lasting key and a role's temporary one, both of which may do everything with S3."""
    iam = iam_backends[ACCOUNT]["aws"]
    iam.create_user(REGION, "postern")
    iam.put_user_policy("postern", "all", POLICY)
    key = iam.create_access_key("postern")
    role = iam.create_role("postern", POLICY, "/", None, "", [], "3600")
    iam.put_role_policy("postern", "all", POLICY)
    # Of a role and not of a user: moto tells them apart by the beginning of their ids.
    temporary = sts_backends[ACCOUNT]["aws"].assume_role(REGION, "session", role.arn, "", 3600, "")
    return {
        "id": key.access_key_id, "secret": key.secret_access_key, "temporaryId": temporary.access_key_id,
        "temporarySecret": temporary.secret_access_key, "temporaryToken": temporary.session_token,
    }


class Faults:
    """What goes wrong next. A fault is for requests of a method whose query or path has a text in it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.planned = []
        self.mended = threading.Event()

    def plan(self, fault):
        with self.lock:
            self.mended.clear()
            self.planned.append(fault)

    def mend(self):
        with self.lock:
            self.planned.clear()
            self.mended.set()

    def next(self, method, target):
        with self.lock:
            for fault in self.planned:
                if fault["method"] == method and fault["in"] in target:
                    # Some of the first may pass.
                    if fault.get("after", 0) > 0:
                        fault["after"] -= 1
                        return None
                    if fault["times"] != 0:
                        fault["times"] -= 1
                        return fault
        return None


class Front:
    """Stands before moto: checks each body against the hash that was signed, and makes what was planned go wrong."""

    def __init__(self, application, faults):
        self.application = application
        self.faults = faults

    def __call__(self, environ, start_response):
        target = environ["RAW_URI"]
        method = environ["REQUEST_METHOD"]
        fault = self.faults.next(method, target)
        kind = fault["fault"] if fault else ""
        facts = {"method": method, "target": target, "fault": kind}
        if kind == "hang":
            say("request", **facts)
            self.faults.mended.wait()
            return self.cut(environ)
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if kind == "cut":
            environ["wsgi.input"].read(length // 2)
            say("request", **facts)
            return self.cut(environ)
        body = environ["wsgi.input"].read(length)
        is_signed = environ.get("HTTP_X_AMZ_CONTENT_SHA256") == hashlib.sha256(body).hexdigest()
        say("request", **facts, bytes=length, isSigned=is_signed, condition=environ.get("HTTP_IF_NONE_MATCH", ""))
        if not is_signed:
            return self.refuse(start_response, "400 Bad Request", "XAmzContentSHA256Mismatch", "The hash is not the body's.")
        if kind == "refuse":
            return self.refuse(start_response, fault["status"], fault["code"], fault.get("message", "Said the test."))
        environ["wsgi.input"] = Body(body)
        if kind == "lose":
            for _ in self.application(environ, lambda *_: None):
                pass
            return self.cut(environ)
        if kind == "half":
            answer = []
            content = b"".join(self.application(environ, lambda *facts: answer.append(facts)))
            start_response(*answer[0][:2])
            return Half(self, environ, content)
        if kind == "inflate":
            return self.application(environ, lambda status, headers, *more: start_response(status, inflated(headers), *more))
        return self.application(environ, start_response)

    @staticmethod
    def refuse(start_response, status, code, message):
        text = f"<?xml version='1.0' encoding='UTF-8'?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
        start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(text)))])
        return [text]

    @staticmethod
    def cut(environ):
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        raise ConnectionAbortedError


def inflated(headers):
    """The headers of an answer that says its object has a hundred times as many bytes."""
    headers = dict(headers)
    name = next(name for name in headers if name.lower() == "content-range")
    place, total = headers[name].split("/")
    headers[name] = f"{place}/{int(total) * 100}"
    return list(headers.items())


class Half:
    """Half of a content, and no more."""

    def __init__(self, front, environ, content):
        self.parts = iter([content[: len(content) // 2]])
        self.end = lambda: front.cut(environ)

    def __iter__(self):
        return self

    def __next__(self):
        for part in self.parts:
            return part
        self.end()


class Body:
    """The body of a request, which has been read already."""

    def __init__(self, content):
        self.content = content
        self.place = 0

    def read(self, count=-1):
        end = len(self.content) if count is None or count < 0 else self.place + count
        part = self.content[self.place : end]
        self.place += len(part)
        return part

    def readline(self, *_):
        return self.read()


def state():
    bucket = s3_backends[ACCOUNT]["aws"].buckets[BUCKET]
    objects = {name: len(key.value) for name, key in bucket.keys.items()}
    return {"objects": objects, "uploads": [upload.key_name for upload in bucket.multiparts.values()]}


def obey(line, faults):
    command = json.loads(line)
    if command.get("fault") == "none":
        faults.mend()
    elif "fault" in command:
        faults.plan(command)
    elif "put" in command:
        for number in range(command["count"]):
            s3_backends[ACCOUNT]["aws"].put_object(BUCKET, command["put"].replace("#", f"{number:04}"), command["text"].encode())
    say("done", number=command["number"], **(state() if command.get("asks") else {}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--certificate", help="the PEM chain with which to speak TLS")
    parser.add_argument("--key", help="its private key")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    known = credentials()
    s3_backends[ACCOUNT]["aws"].create_bucket(BUCKET, REGION)
    # From here on every request needs a right signature and a policy.
    settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    ActionAuthenticatorMixin.request_count = 0
    faults = Faults()
    context = None
    if arguments.certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments.certificate, arguments.key)
    front = Front(DomainDispatcherApplication(create_backend_app), faults)
    server = make_server("127.0.0.1", 0, front, threaded=True, ssl_context=context)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say("listening", port=server.port, **known)
    for line in sys.stdin:
        obey(line, faults)


if __name__ == "__main__":
    main()
