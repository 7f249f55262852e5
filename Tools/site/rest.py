"""Writes the REST reference, a page in Markdown, from the description that a server publishes at /openapi.json.

    rest.py OPENAPI.json > REST.md
"""

import json
import re
import sys

# The first pattern that matches a path names its section.
SECTIONS = [
    ("Emulator", r"/emulator/|^/$"),
    ("Keys and discovery", r"jwk|x509|publicKeys|PublicKeys|\.well-known"),
    ("Configuration", r"/v2/projects/.*(onfig|tenants|identityPlatform)"),
    ("Accounts, for administrators", r"/projects/|serviceAccounts|loadAccount"),
    ("Second factors and passkeys", r"mfa|Mfa|passkey|Passkey"),
    ("Tokens", r"token$|/token\b"),
    ("Accounts, for apps", r"accounts:|/relyingparty/|recaptcha|passwordPolicy|/v1/projects$|/v2/"),
    ("Web handler", r"/__/"),
    ("Operation", r""),
]

ORDER = [
    "Accounts, for apps", "Tokens", "Second factors and passkeys", "Accounts, for administrators", "Configuration",
    "Keys and discovery", "Web handler", "Operation", "Emulator",
]


def section_of(path: str) -> str:
    return next(title for title, pattern in SECTIONS if re.search(pattern, path))


def resolved(schema: dict, document: dict) -> dict:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def kind_of(schema: dict, document: dict) -> str:
    schema = resolved(schema, document)
    if schema.get("type") == "array":
        return f"list of {kind_of(schema.get('items', {}), document)}" + limit(schema, "maxItems")
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "string":
        return schema.get("format", "text") + limit(schema, "maxLength")
    return schema.get("type", "any")


def limit(schema: dict, key: str) -> str:
    return f", at most {schema[key]}" if key in schema else ""


def members(schema: dict, document: dict, prefix: str = "", depth: int = 0) -> list[str]:
    """A row for each member, those of objects below them with their path."""
    schema = resolved(schema, document)
    rows = []
    for name, value in sorted(schema.get("properties", {}).items()):
        plain = resolved(value, document)
        rows.append(f"| `{prefix}{name}` | {kind_of(value, document)} |")
        inner = plain.get("items", {}) if plain.get("type") == "array" else plain
        if depth < 2:
            ending = "[]." if plain.get("type") == "array" else "."
            rows += members(inner, document, prefix + name + ending, depth + 1)
    return rows


def table(title: str, schema: dict, document: dict) -> list[str]:
    rows = members(schema, document)
    return [f"**{title}**", "", "| member | value |", "|---|---|", *rows, ""] if rows else []


def content(part: dict) -> dict:
    return next(iter(part.get("content", {}).values()), {}).get("schema", {})


def operation(method: str, paths: list[str], call: dict, document: dict) -> list[str]:
    own = min(paths, key=lambda path: ("googleapis" in path, len(path)))
    lines = [f"### {method.upper()} {own}", "", call.get("summary", ""), ""]
    others = sorted(set(paths) - {own})
    if others:
        lines += ["Also at " + ", ".join(f"`{path}`" for path in others) + ".", ""]
    callers = [next(iter(entry), "nobody") for entry in call.get("security", [])]
    names = {"apiKey": "an API key", "apiKeyHeader": "an API key in its header", "administrator": "an administrator's token"}
    if callers:
        lines += ["Callers show " + " or ".join(names.get(caller, caller) for caller in callers) + ".", ""]
    queries = [entry for entry in call.get("parameters", []) if entry["in"] == "query" and entry["name"] != "key"]
    if queries:
        lines += ["| in the query | value |", "|---|---|"]
        lines += [f"| `{entry['name']}` | {kind_of(entry.get('schema', {}), document)} |" for entry in queries] + [""]
    lines += table("Request", content(call.get("requestBody", {})), document)
    lines += table("Answer", content(call.get("responses", {}).get("200", {})), document)
    return lines


def page(document: dict) -> str:
    calls: dict[tuple, list] = {}
    for path, methods in document["paths"].items():
        for method, call in methods.items():
            # HEAD is GET without a body.
            if method != "head":
                name = re.sub(r"_\d+$", "", call["operationId"])
                calls.setdefault((name, method, call.get("summary")), []).append((path, call))
    sections: dict[str, list] = {title: [] for title, _ in SECTIONS}
    for (_, method, _), places in calls.items():
        paths = [path for path, _ in places]
        own = min(paths, key=lambda path: ("googleapis" in path, len(path)))
        sections[section_of(own)].append((own, operation(method, paths, places[0][1], document)))
    lines = [
        "# REST reference", "", document["info"]["description"], "",
        "A server publishes this as OpenAPI at `/openapi.json`. Errors have [their own page](Errors.md).", "",
    ]
    for title in ORDER:
        lines += [f"## {title}", ""]
        for _, text in sorted(sections[title], key=lambda entry: entry[0]):
            lines += text
    return "\n".join(lines)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(page(json.load(file)))
