#!/usr/bin/env bash
# Make sure that the tests find a Redis and an nginx to start; install them where that is ours to do.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
command -v nginx >/dev/null || missing+=(nginx-light)
[ ${#missing[@]} = 0 ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "fusionlab: installing ${missing[*]} for the classroom tests" >&2
    export DEBIAN_FRONTEND=noninteractive
    # The tests start their own on free ports; the packages' services need not run.
    export RUNLEVEL=1
    {
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends "${missing[@]}"
    } >&2
    exit 0
fi

echo "fusionlab: the classroom tests start a Redis and an nginx of their own: install ${missing[*]}" >&2
exit 1
