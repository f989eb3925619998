#!/usr/bin/env bash
# Make or refresh the virtual environment: scripts/setup.sh VENV REQUIREMENTS…
# uv installs when it can be had (seconds), pip otherwise (a minute or so). Both follow the
# machine's own pip configuration; no package source is named here.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$1
shift
bin=$venv/bin
uv_version=0.13.9

die() {
    printf 'fusionlab: %s\n' "$@" >&2
    exit 1
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    die "Python 3.11 or newer is needed and was not found." \
        "Install it, or name it: make PYTHON=/path/to/python3.12 …"
}

make_venv() {
    local python log
    python=$(find_python)
    if ! log=$("$python" -m venv "$venv" 2>&1); then
        rm -rf "$venv"
        case $log in
        *ensurepip* | *"No module named venv"*)
            die "$python has no venv module, so no environment can be made." \
                "On Debian or Ubuntu: apt-get install python3-venv   (then run make again)"
            ;;
        *) die "$python -m venv $venv failed:" "$log" ;;
        esac
    fi
}

# uv does not read pip's configuration, so hand it the parts that decide where packages come from.
follow_pip_config() {
    local index cert
    index=$("$bin/pip" config get global.index-url 2>/dev/null || true)
    index=${PIP_INDEX_URL:-$index}
    cert=$("$bin/pip" config get global.cert 2>/dev/null || true)
    cert=${PIP_CERT:-$cert}
    if [ -n "$index" ]; then export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$index}; fi
    if [ -n "$cert" ]; then export SSL_CERT_FILE=${SSL_CERT_FILE:-$cert}; fi
}

has_uv() {
    [ "$("$bin/uv" --version 2>/dev/null | cut -d' ' -f2)" = "$uv_version" ] ||
        "$bin/pip" install --quiet --disable-pip-version-check "uv==$uv_version" 2>/dev/null
}

with_uv() {
    has_uv || return 1
    follow_pip_config
    "$bin/uv" pip install --quiet --python "$bin/python" "$@"
}

with_pip() {
    echo "fusionlab: installing with pip, which takes a minute or two…" >&2
    "$bin/pip" install --quiet --disable-pip-version-check "$@"
}

[ -x "$bin/python" ] && [ -x "$bin/pip" ] || make_venv

wanted=(--constraint constraints.txt)
for file in "$@"; do wanted+=(--requirement "$file"); done
echo "fusionlab: installing ${*} into $venv" >&2
with_uv "${wanted[@]}" || with_pip "${wanted[@]}"

# Our own package in place, for the `fusionlab` command.
with_uv --no-deps --editable . || with_pip --no-deps --editable .
