"""A real SMTP server on loopback for tests: aiosmtpd, with faults on request.

Prints `LISTENING port`, then one JSON object a line for each accepted message and each refused attempt. Reads commands, one JSON
object a line: {"fault": "rcpt" | "data" | "mail", "reply": "451 4.3.0 later", "times": 1}, {"fault": "slow", "seconds": 60},
{"fault": "drop", "times": 1}, {"fault": null}, or {"sync": true}; each has a "number", and is
answered by an event with it.
"""

import argparse
import asyncio
import base64
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


def say(event):
    print(json.dumps(event), flush=True)


class Handler:
    def __init__(self):
        self.fault = {}

    def take(self, name):
        """The fault's settings if it strikes now."""
        if self.fault.get("fault") != name or self.fault.get("times", 1) == 0:
            return None
        if "times" in self.fault:
            self.fault["times"] -= 1
        say({"event": "fault", "fault": name})
        return self.fault

    async def handle_MAIL(self, server, session, envelope, address, options):
        if fault := self.take("mail"):
            return fault["reply"]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server, session, envelope, address, options):
        if fault := self.take("rcpt"):
            return fault["reply"]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if fault := self.take("data"):
            return fault["reply"]
        if fault := self.take("slow"):
            await asyncio.sleep(fault["seconds"])
        if self.take("drop"):
            server.transport.abort()
            return "451 dropped"
        message = email.message_from_bytes(envelope.original_content, policy=email.policy.default)
        parts = [part for part in message.walk() if not part.is_multipart()]
        say({
            "event": "message",
            "mailFrom": envelope.mail_from,
            "rcptTos": envelope.rcpt_tos,
            "isTLS": server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data if isinstance(session.auth_data, str) else None,
            "helo": session.host_name,
            "raw": base64.b64encode(envelope.original_content).decode(),
            "headers": {name: str(value) for name, value in message.items()},
            "headerCount": len(message.items()),
            "defects": [str(defect) for part in message.walk() for defect in part.defects]
            + [str(defect) for value in message.values() for defect in value.defects],
            "contentType": message.get_content_type(),
            "parts": {part.get_content_type(): part.get_content() for part in parts},
        })
        return "250 OK"


async def serve(arguments):
    handler = Handler()
    context = None
    if arguments.certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(arguments.certificate, arguments.key)

    def authenticate(server, session, envelope, mechanism, data):
        good = isinstance(data, LoginPassword) and f"{data.login.decode()}:{data.password.decode()}" == arguments.account
        say({"event": "auth", "mechanism": mechanism, "accepted": good})
        # Without `handled` the library answers 535 itself.
        return AuthResult(success=good, handled=False, auth_data=data.login.decode() if good else None)

    def session():
        return SMTP(
            handler,
            hostname="mail.example",
            tls_context=context if arguments.starttls else None,
            authenticator=authenticate if arguments.account else None,
            auth_required=bool(arguments.account),
            auth_require_tls=bool(arguments.starttls),
            auth_exclude_mechanism=[arguments.without] if arguments.without else [],
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        session, "127.0.0.1", arguments.port, ssl=context if context and not arguments.starttls else None
    )
    print("LISTENING", server.sockets[0].getsockname()[1], flush=True)
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    # The end of the input is the end of the test that started this process.
    while line := await commands.readline():
        command = json.loads(line)
        number = command.pop("number")
        if "sync" not in command:
            handler.fault = command
        say({"event": "ready", "number": number})


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--starttls", action="store_true")
parser.add_argument("--account", help="user:password, required from then on")
parser.add_argument("--without", help="a mechanism not to offer")
asyncio.run(serve(parser.parse_args()))
