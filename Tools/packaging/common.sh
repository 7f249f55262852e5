# What the scripts of this folder share. They are run from anywhere and work in the repository's top folder.
# Sets: binary, output, level, version, architecture, SOURCE_DATE_EPOCH. Reads the options --binary FILE, --output FOLDER, and --fast for
# packages that are only tried.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
packaging=Tools/packaging
binary=.build/release/postern
output=.build/dist
level=6

while [ $# -gt 0 ]; do
    case $1 in
    --binary) binary=$(realpath "$2") && shift 2 ;;
    --output) mkdir -p "$2" && output=$(realpath "$2") && shift 2 ;;
    --fast) level=1 && shift ;;
    *) echo "usage: $0 [--binary FILE] [--output FOLDER] [--fast]" >&2 && exit 2 ;;
    esac
done
[ -x "$binary" ] || { echo "There is no $binary. make release makes it." >&2 && exit 1; }
mkdir -p "$output"

version=$("$binary" --version)
architecture=$(dpkg --print-architecture)
# The time of the last change, so that the same sources give the same bytes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Puts what every package has into a folder: the stripped binary, example settings, licences, the bill of materials.
stage() {
    local root=$1 libraries
    libraries=$(ldd "$binary")
    # A package that is only tried may hold a debug build, which loads the Swift runtime of this machine.
    if [ $level != 1 ] && [[ $libraries == *libswift* || $libraries == *libFoundation* ]]; then
        echo "$binary needs the Swift runtime, which servers do not have. make release links it in." >&2 && exit 1
    fi
    mkdir -p "$root/bin" "$root/etc"
    strip --strip-all -o "$root/bin/postern" "$binary"
    chmod 755 "$root/bin/postern"
    service_settings >"$root/etc/postern.yaml"
    cp Config/production-project.yaml "$root/etc/project.yaml"
    python3 "$packaging/inventory.py" --binary "$binary" --version "$version" --licences "$root/licences" >"$root/sbom.cdx.json"
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

# Writes SHA256SUMS anew, for all that stands in the output folder.
list_checksums() {
    (cd "$output" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\n' | sort | xargs sha256sum >SHA256SUMS)
}

# The settings of the container image, with a service's own places.
service_settings() {
    sed -E \
        -e 's|^# Settings for the container image\. .*|# Settings of the service. Secrets are in secrets.env beside this file, which names these variables.|' \
        -e 's|^(  host:) 0\.0\.0\.0|\1 127.0.0.1|' \
        -e 's|^(  masterKeyFile:) .*|\1 /etc/postern/master.key|' \
        -e 's|, unless the file below is mounted||' \
        Config/production.yaml
}
