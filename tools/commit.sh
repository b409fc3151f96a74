#!/bin/sh
# Prints the commit of this tree, with `-dirty` appended if tracked files differ; prints nothing
# outside a checkout. Builds record it (`SPIKEWIRE_COMMIT`), so that reports can name it.
cd "$(dirname "$0")/.." || exit 1
git describe --always --dirty --abbrev=40 --exclude '*' 2>/dev/null || true
