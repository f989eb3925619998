#!/usr/bin/env bash
# Print the path of a Chromium that the browser tests can drive; install one where that is ours to do.
set -euo pipefail

find_browser() {
    local name
    for name in ${CHROMIUM:-} chromium chromium-browser google-chrome google-chrome-stable; do
        if command -v "$name"; then return 0; fi
    done
    return 1
}

find_browser && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "fusionlab: no browser found, installing chromium for the browser tests" >&2
    export DEBIAN_FRONTEND=noninteractive
    {
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk
    } >&2
    find_browser && exit 0
fi

echo "fusionlab: the browser tests need Chromium and a Chinese font: install 'chromium' and 'fonts-noto-cjk' (or set CHROMIUM=/path/to/chrome)" >&2
exit 1
