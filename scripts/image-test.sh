#!/usr/bin/env bash
# Build the image and prove what the README says about it: scripts/image-test.sh NAME
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/image.sh
source scripts/image.sh

NAME=${1:?usage: scripts/image-test.sh NAME}
PORT=${FUSIONLAB_TEST_PORT:-18511}
CONTAINER=fusionlab-test-$$
HARDENED=(--read-only --tmpfs "/tmp:rw,size=256m,mode=1777" --memory 1g --pids-limit 256
    --cap-drop ALL --security-opt no-new-privileges)

remove() { "$ENGINE" rm --force --time 2 "$CONTAINER" >/dev/null 2>&1 || "$ENGINE" rm --force "$CONTAINER" >/dev/null 2>&1 || true; }
start() { "$ENGINE" run --detach --name "$CONTAINER" "${HARDENED[@]}" "$@" >/dev/null; }
inside() { "$ENGINE" exec "$CONTAINER" "$@"; }

# The image's own HEALTHCHECK, asked by us: podman has no timer without systemd.
healthy() {
    local left
    for ((left = ${1:-60}; left > 0; left--)); do
        if [ "$ENGINE" = podman ]; then
            podman healthcheck run "$CONTAINER" >/dev/null 2>&1 && return 0
        else
            [ "$(docker inspect --format '{{.State.Health.Status}}' "$CONTAINER")" = healthy ] && return 0
        fi
        sleep 1
    done
    return 1
}

passed=0
check() {
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then
        passed=$((passed + 1))
        say "ok: $what"
    else
        say "FAILED: $what"
        "$ENGINE" logs "$CONTAINER" >&2 || true
        exit 1
    fi
}
not() { ! "$@"; }
exits_cleanly() {
    "$ENGINE" stop --time 8 "$CONTAINER" && [ "$("$ENGINE" inspect --format '{{.State.ExitCode}}' "$CONTAINER")" = 0 ]
}

choose_engine
trap remove EXIT
build_image "$NAME"

start --publish "127.0.0.1:$PORT:8501" "$NAME"
check "healthy within a minute" healthy
check "answers on the published port" curl --fail --silent "http://127.0.0.1:$PORT/"
check "does not run as root" inside python -c 'import os; assert os.getuid() == 10001'
check "process 1 is tini" inside grep -q tini /proc/1/comm
check "cannot write outside /tmp" not inside touch /app/x
check "can write below /tmp" inside touch /tmp/x
check "keeps none of this machine's pip settings" not inside test -e /etc/pip.conf
if [ -x .venv/bin/pytest ]; then
    check "draws in a real browser" env FUSIONLAB_URL="http://127.0.0.1:$PORT" \
        .venv/bin/pytest -q tests/test_infrastructure.py
fi
check "stops by itself, with code 0" exits_cleanly
remove

start --network none "$NAME"
check "healthy without any network" healthy
remove

# Negative control: an app on another port must not count as healthy.
start --env STREAMLIT_SERVER_PORT=8599 "$NAME"
check "an app on the wrong port is not healthy" not healthy 8

say "image $NAME: $passed checks passed, $("$ENGINE" image inspect --format '{{.Size}}' "$NAME" | numfmt --to=iec)"
