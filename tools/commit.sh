#!/bin/sh
# Prints the commit that this tree is at, with `-dirty` behind it where tracked files differ; nothing
# outside of a checkout. What is built says it (`SPIKEWIRE_COMMIT`), so that reports can name it.
cd "$(dirname "$0")/.." || exit 1
git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null || true
