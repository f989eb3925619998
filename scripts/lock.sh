#!/usr/bin/env bash
# Resolve the requirements for every supported Python and platform into constraints.txt.
set -euo pipefail
cd "$(dirname "$0")/.."

resolved=$("${1:-.venv}/bin/uv" pip compile --quiet --universal --python-version 3.11 \
    --no-annotate --no-header requirements-dev.txt)
{
    echo "# Every version that the requirements files bring in. Written by \`make lock\`, not by hand."
    printf '%s\n' "$resolved"
} >constraints.txt
