"""Reads the snippets of a page of documentation, and what the comments before them say.

    <!-- server: none | emulator | development | production -->   first line of a page: what runs beside it
    <!-- file: NAME -->       the block is written to that file of the page's folder
    <!-- settings -->         the block is a piece of a settings file
    <!-- project -->          the block is a piece of a project file
    <!-- illustration: WHY -->  the block is not run

    pages.py PAGE file NAME           prints a page's file
    pages.py PAGE illustration WHY    prints its blocks with this reason, in order, for tests that have what they need
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

SERVERS = ("none", "emulator", "development", "walkthrough", "production")
RUN = ("sh", "yaml", "http")
SHOWN = (
    "dart", "go", "groovy", "html", "ini", "java", "js", "json", "kotlin", "lua", "mermaid", "nginx", "objc", "python", "sql", "swift", "text",
    "toml", "ts", "xml",
)


class PageError(Exception):
    """A page breaks the rules of this module."""


@dataclass
class Block:
    """A fenced block: where it stands, its language, its text and its mark."""

    line: int
    language: str
    text: str
    mark: str
    value: str


@dataclass
class Page:
    """A page: its path, what runs beside it, and its blocks in order."""

    path: Path
    server: str
    blocks: list[Block] = field(default_factory=list)


_SERVER = re.compile(r"<!-- server: (\w+) -->")
_MARK = re.compile(r"\s*<!-- (file|settings|project|illustration)(?:: (.+?))? -->\s*")
_FENCE = re.compile(r"( *)(`{3,})\s*(\S*)\s*")
_LIST = re.compile(r"\s*(?:[-*+]|\d+\.) ")


def read(path: Path) -> Page:
    """Reads a page.

    Raises: PageError for a block without a language, a block that would be neither run nor marked, and code without a fence.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    first = _SERVER.fullmatch(lines[0])
    if not first or first[1] not in SERVERS:
        raise PageError(f"{path}:1: the first line must say what runs beside the page: {', '.join(SERVERS)}")
    page = Page(path, first[1])
    before, number = "", 1
    while number < len(lines):
        line = lines[number]
        number += 1
        fence = _FENCE.fullmatch(line)
        if not fence:
            if line.startswith("    ") and (not before or not (before.startswith(" ") or _LIST.match(before))):
                raise PageError(f"{path}:{number}: code stands in fences, with its language")
            # A blank line ends a paragraph, but not a list, whose texts are indented as well.
            before = line or (before if _LIST.match(before) or before.startswith(" ") else "")
            continue
        start, text = number, []
        while number < len(lines) and lines[number].strip() != fence[2]:
            text.append(lines[number].removeprefix(fence[1]))
            number += 1
        number += 1
        mark = _MARK.fullmatch(before)
        page.blocks.append(_block(path, start, fence[3], "\n".join(text) + "\n", mark))
        before = ""
    return page


def _block(path: Path, line: int, language: str, text: str, mark: re.Match | None) -> Block:
    kind, value = (mark[1], mark[2] or "") if mark else ("", "")
    if language not in RUN + SHOWN:
        raise PageError(f"{path}:{line}: a block of the language {language!r}")
    if kind in ("file", "illustration") and not value:
        raise PageError(f"{path}:{line}: the mark {kind!r} needs a value")
    if language == "yaml" and not kind:
        raise PageError(f"{path}:{line}: YAML is a file, settings, a piece of a project, or an illustration")
    return Block(line, language, text, kind, value)


def main():
    path, mark, value = sys.argv[1:]
    texts = [block.text for block in read(Path(path)).blocks if (block.mark, block.value) == (mark, value)]
    if not texts:
        sys.exit(f"{path} has no block with the mark {mark}: {value}")
    print("\n".join(texts), end="")


if __name__ == "__main__":
    main()
