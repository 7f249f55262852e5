"""Runs what the documentation shows: every shell, YAML and HTTP snippet that is not marked as an illustration.

    run.py --binary .build/release/postern [PAGE...]

A page's shell snippets run in order, in one shell, in a folder of the page's own, beside the server that its first line names. See
`pages.py` for the marks.
"""

import argparse
import os
import re
import shlex
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

import pages
from servers import REPOSITORY, Launcher, Server, merged

# The contract is the specification that Postern is built by. It shows no command; its tests are all the others.
CONTRACT = "Docs/Contract/"


class Failed(Exception):
    """A snippet does not do what the page says."""


def every_page() -> list[Path]:
    found = [REPOSITORY / "README.md", *sorted((REPOSITORY / "Docs").rglob("*.md"))]
    found += [REPOSITORY / "Clients/README.md", *sorted((REPOSITORY / "Clients").glob("*/README.md"))]
    return found


def is_contract(page: Path) -> bool:
    return str(page.relative_to(REPOSITORY)).startswith(CONTRACT)


def check_piece(launcher: Launcher, block: pages.Block, folder: Path):
    """Lets `postern config check` read a piece of the settings or of a project file."""
    piece = yaml.safe_load(block.text)
    folder.mkdir()
    is_project = block.mark == "project"
    launcher.write(folder, settings={} if is_project else piece, project=piece if is_project else {})
    try:
        launcher.run(["config", "check", "--config", "postern.yaml"], folder)
    except RuntimeError as error:
        raise Failed(f"line {block.line}: {error}") from error


def send(block: pages.Block, text: str, server: Server, authority: Path):
    """Sends a request and compares the answer's status with the one that the block shows, or with 200."""
    head, _, rest = text.strip().partition("\n\n")
    body, _, answer = rest.partition("\n\nHTTP/1.1 ") if not rest.startswith("HTTP/1.1 ") else ("", "", rest[len("HTTP/1.1 ") :])
    request_line, *fields = head.split("\n")
    method, path, *_ = request_line.split(" ")
    base = next(iter(server.replaced.values()))
    url = (base if "://" in base else f"http://{base}") + path
    headers = dict(line.split(": ", 1) for line in fields if not line.lower().startswith("host:"))
    request = urllib.request.Request(url, data=body.encode() or None, headers=headers, method=method)
    context = ssl.create_default_context(cafile=authority) if url.startswith("https") else None
    try:
        status, said = 200, urllib.request.urlopen(request, timeout=30, context=context).read()
    except urllib.error.HTTPError as error:
        status, said = error.code, error.read()
    if status != int(answer.split(" ")[0] or 200 if answer else 200):
        raise Failed(f"line {block.line}: {status} {said[:500]!r}")


def script_of(page: pages.Page, server: Server) -> str:
    """All shell snippets and files of a page as one script."""
    parts = ["set -euo pipefail"]
    for block in page.blocks:
        text, name = server.real(block.text), server.real(block.value)
        if block.mark == "file":
            folder = shlex.quote(str(Path(name).parent))
            parts.append(f"mkdir -p {folder}; cat > {shlex.quote(name)} <<'END OF FILE'\n{text}END OF FILE")
        elif block.language == "sh" and not block.mark:
            parts.append(f"echo 'line {block.line}' >&3\n{text}")
    return "\n".join(parts) + "\n"


def run_page(path: Path, launcher: Launcher, scratch: Path) -> str:
    """Runs a page.

    Returns: how many snippets ran. Raises: Failed or PageError.
    """
    if is_contract(path):
        run = [fence[1] for fence in re.finditer(r"^ *```\s*(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE) if fence[1] in pages.RUN]
        if run:
            raise Failed(f"the contract shows {', '.join(run)}, which no test runs")
        return "no command"
    page = pages.read(path)
    work = Path(tempfile.mkdtemp(dir=scratch))
    folder = work / "page"
    folder.mkdir()
    ran = [block for block in page.blocks if block.mark != "illustration" and (block.mark or block.language in pages.RUN)]
    for block in ran:
        if block.mark in ("settings", "project"):
            check_piece(launcher, block, work / f"line-{block.line}")
    project = {}
    for block in ran:
        if block.mark == "project":
            project = merged(project, yaml.safe_load(block.text))
    with launcher.beside(page.server if ran else "none", folder, project) as server:
        for block in ran:
            if block.language == "http":
                send(block, server.real(block.text), server, launcher.authority)
        run_shell(page, server, launcher, folder, work)
    return f"{len(ran)} of {len(page.blocks)}"


def run_shell(page: pages.Page, server: Server, launcher: Launcher, folder: Path, work: Path):
    tools = work / "bin"
    tools.mkdir()
    (tools / "postern").symlink_to(launcher.binary)
    variables = {
        "PATH": f"{tools}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(folder),
        "LANG": "C.UTF-8", "PYTHONPATH": str(REPOSITORY / "Clients/python"), "PYTHONDONTWRITEBYTECODE": "1",
        "REPOSITORY": str(REPOSITORY),
    }
    script = work / "page.sh"
    script.write_text(script_of(page, server))
    places = work / "places"
    with open(places, "wb") as progress:
        try:
            done = subprocess.run(
                ["bash", "-c", f"exec 3>&{progress.fileno()}; source {shlex.quote(str(script))}"], cwd=folder,
                env=variables | server.variables, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, pass_fds=[progress.fileno()], timeout=180,
            )
        except subprocess.TimeoutExpired as error:
            raise Failed(f"it takes more than three minutes: {error.output!r}") from error
    if done.returncode:
        place = (places.read_text().splitlines() or ["before the first snippet"])[-1]
        raise Failed(f"{place}: exit code {done.returncode}: {done.stdout[-3000:]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True, help="the server that is documented")
    parser.add_argument("page", type=Path, nargs="*", help="all pages by default")
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="postern-pages-") as scratch, ThreadPoolExecutor(3) as pool:
        launcher = Launcher(arguments.binary.absolute(), Path(scratch))

        def result(path: Path) -> tuple[bool, str]:
            try:
                return True, run_page(path, launcher, Path(scratch))
            except (Failed, pages.PageError, RuntimeError, OSError, yaml.YAMLError) as error:
                return False, str(error)

        paths = [path.absolute() for path in arguments.page] or every_page()
        for path, (good, text) in zip(paths, pool.map(result, paths)):
            print(f"{'ok' if good else 'FAILED'} {os.path.relpath(path, REPOSITORY)}: {text}", flush=True)
            failed += not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
