#!/bin/sh
# Succeeds if Node.js 18 or later and npm are installed; otherwise prints what is missing and fails.
# `SPIKEWIRE_NODE=none` makes it fail in any case.
set -eu

if [ "${SPIKEWIRE_NODE:-}" = none ]; then
    echo "SPIKEWIRE_NODE=none"
    exit 1
fi
for program in node npm; do
    command -v $program >/dev/null || {
        echo "there is no $program"
        exit 1
    }
done
node -e 'process.exit(Number.parseInt(process.versions.node, 10) < 18 ? 1 : 0)' || {
    echo "Node.js $(node --version) is older than 18"
    exit 1
}
