#!/usr/bin/env bash
# Build the container image: scripts/image.sh NAME
# With a Docker daemon: docker. Without one: buildah, in a store of its own, so that neither the
# machine's containers nor its settings are touched. Where no image registry can be reached, a
# stand-in base is made from Debian packages; it has the same Python version and layout.
set -euo pipefail
cd "$(dirname "$0")/.."

BASE=python:3.11-slim-bookworm
STORE=${FUSIONLAB_IMAGE_STORE:-${XDG_CACHE_HOME:-$HOME/.cache}/fusionlab-image}

say() { printf 'fusionlab: %s\n' "$*" >&2; }

choose_engine() {
    if docker info >/dev/null 2>&1; then
        ENGINE=docker
    elif command -v podman >/dev/null && command -v buildah >/dev/null; then
        ENGINE=podman
        configure_podman
    else
        say "no Docker daemon, and no buildah with podman."
        say "Install Docker, or on Debian: apt-get install buildah podman runc mmdebstrap"
        exit 1
    fi
    say "using $ENGINE"
}

# The limits of a container inside a container: no systemd, no right to raise limits.
configure_podman() {
    mkdir -p "$STORE"
    printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' \
        "$STORE" "$STORE" >"$STORE/storage.conf"
    {
        printf '[containers]\ndefault_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]\n'
        printf '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\n'
    } >"$STORE/containers.conf"
    export CONTAINERS_STORAGE_CONF=$STORE/storage.conf CONTAINERS_CONF=$STORE/containers.conf
}

# What pip needs on this machine, if anything: its settings as a secret.
pip_secret() {
    local file
    for file in "${PIP_CONFIG_FILE:-}" "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" /etc/pip.conf; do
        if [ -f "$file" ]; then
            printf -- '--secret\nid=pipconf,src=%s\n' "$file"
            return
        fi
    done
}

# A machine with its own certificates lends them to the build, not to the image.
certificate_mount() {
    local bundle=${SSL_CERT_FILE:-}
    [ -f "$bundle" ] || return 0
    printf -- '--volume\n%s:%s:ro\n' "$bundle" "$bundle"
}

ensure_base() {
    podman image exists "localhost/$BASE" && return
    podman pull --quiet "$BASE" >/dev/null 2>&1 && return
    command -v mmdebstrap >/dev/null || {
        say "$BASE cannot be pulled, and mmdebstrap is not there to make a stand-in"
        exit 1
    }
    say "$BASE cannot be pulled: making a stand-in from Debian packages"
    local tar=$STORE/base.tar
    # shellcheck disable=SC2016  # $1 is mmdebstrap's
    mmdebstrap --quiet --variant=minbase \
        --include=ca-certificates,python3,python3-venv,python3-pip \
        --customize-hook='rm -f "$1"/usr/lib/python3*/EXTERNALLY-MANAGED' \
        --customize-hook='ln -s /usr/bin/python3 "$1/usr/local/bin/python"' \
        --customize-hook='ln -s /usr/bin/pip3 "$1/usr/local/bin/pip"' \
        bookworm "$tar"
    podman import --quiet \
        --change 'ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin' \
        "$tar" "localhost/$BASE" >/dev/null
    rm -f "$tar"
}

build_image() {
    local name=$1 secret
    mapfile -t secret < <(pip_secret)
    if [ "$ENGINE" = docker ]; then
        docker build "${secret[@]}" --tag "$name" .
        return
    fi
    ensure_base
    local mount
    mapfile -t mount < <(certificate_mount)
    # The docker format keeps the HEALTHCHECK.
    buildah build --pull-never --isolation chroot --format docker --layers \
        "${secret[@]}" "${mount[@]}" --tag "$name" .
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    choose_engine
    build_image "${1:?usage: scripts/image.sh NAME}"
    say "built $1"
fi
