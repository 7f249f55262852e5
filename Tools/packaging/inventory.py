"""Lists what a binary is made of, as a bill of materials in CycloneDX 1.5, and collects the licences.

    inventory.py --binary FILE --version VERSION --licences FOLDER > sbom.cdx.json

The Swift packages are those that the build resolved; the C libraries are Debian's, found by the loader.
"""

import argparse
import json
import re
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / ".build"

# The text that tells a licence apart, most particular first.
LICENCES = [
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge"),
    ("BSD-3-Clause", r"Neither the name"),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
]


def licence_of(text: str) -> str | None:
    return next((name for name, pattern in LICENCES if re.search(pattern, text)), None)


def swift_packages(licences: Path) -> list[dict]:
    state = json.loads((BUILD / "workspace-state.json").read_text())
    components = []
    for entry in sorted(state["object"]["dependencies"], key=lambda entry: entry["packageRef"]["identity"]):
        reference, checkout = entry["packageRef"], entry["state"]["checkoutState"]
        host_and_path = re.sub(r"^https?://|\.git$", "", reference["location"])
        version = checkout.get("version") or checkout["revision"]
        name = host_and_path.rsplit("/", 1)[-1]
        texts = []
        for file in sorted((BUILD / "checkouts" / entry["subpath"]).iterdir()):
            if re.match(r"(?i)(licen[sc]e|notice|contributors|copying)", file.name) and file.is_file():
                target = licences / name / file.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
                texts.append(file.read_text(errors="replace"))
        licence = licence_of("\n".join(texts))
        component = {
            "type": "library", "name": name, "version": version, "purl": f"pkg:swift/{host_and_path}@{version}",
            "bom-ref": f"pkg:swift/{host_and_path}@{version}",
            "properties": [{"name": "revision", "value": checkout["revision"]}],
        }
        if licence:
            component["licenses"] = [{"license": {"id": licence}}]
        components.append(component)
    return components


def debian_packages(binary: Path) -> list[dict]:
    """The packages of the libraries that the binary itself asks the loader for."""
    needed = re.findall(r"NEEDED\s+(\S+)", subprocess.run(["objdump", "-p", binary], capture_output=True, text=True, check=True).stdout)
    loaded = dict(re.findall(r"(\S+) => (/\S+)", subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout))
    found = {}
    for library in needed:
        # dpkg knows files by their places before /lib became a link.
        path = loaded.get(library, library)
        for spelling in (path, path.removeprefix("/usr"), str(Path(path).resolve())):
            owner = subprocess.run(["dpkg-query", "--search", spelling], capture_output=True, text=True)
            if owner.returncode == 0:
                package = owner.stdout.split(":")[0]
                query = ["dpkg-query", "--show", "--showformat=${Version}", package]
                found[package] = subprocess.run(query, capture_output=True, text=True, check=True).stdout.split("\n")[0]
                break
    return [
        {"type": "library", "name": name, "version": version, "purl": f"pkg:deb/debian/{name}@{version}",
         "bom-ref": f"pkg:deb/debian/{name}@{version}", "scope": "required",
         "properties": [{"name": "linked", "value": "dynamically"}]}
        for name, version in sorted(found.items())
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--licences", type=Path, required=True, help="the folder to collect licences in")
    arguments = parser.parse_args()
    swift = re.search(r"Swift version (\S+)", subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout)
    runtime_licence = Path(shutil.which("swift")).resolve().parents[1] / "share/swift/LICENSE.txt"
    if runtime_licence.is_file():
        (arguments.licences / "swift-runtime").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(runtime_licence, arguments.licences / "swift-runtime/LICENSE.txt")
    runtime = {
        "type": "framework", "name": "swift-runtime", "version": swift[1], "licenses": [{"license": {"id": "Apache-2.0"}}],
        "purl": f"pkg:github/swiftlang/swift@{swift[1]}", "bom-ref": f"pkg:github/swiftlang/swift@{swift[1]}",
    }
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "name": "postern", "version": arguments.version, "bom-ref": "postern"}},
        "components": [*swift_packages(arguments.licences), runtime, *debian_packages(arguments.binary)],
    }, indent=2))


if __name__ == "__main__":
    main()
