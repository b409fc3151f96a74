#!/bin/sh
# Prints the Python to build for: $PYTHON if it is set, else the first one found that is 3.10 or
# later. Fails with a reason if there is none.
set -eu

suits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

if [ -n "${PYTHON:-}" ]; then
    suits "$PYTHON" || {
        echo "python.sh: PYTHON=$PYTHON is not Python 3.10 or later" >&2
        exit 1
    }
    echo "$PYTHON"
    exit
fi
for name in python3 python python3.14 python3.13 python3.12 python3.11 python3.10; do
    if suits "$name"; then
        echo "$name"
        exit
    fi
done
echo "python.sh: no Python 3.10 or later found; install one, or name it: make PYTHON=/path/to/python3" >&2
exit 1
