#!/bin/sh
# Prints the path of a free-threaded CPython 3.14 or later, or nothing if there is none.
#
# Looks, in this order, at: $SPIKEWIRE_PYTHON_FT; python3.14t in the PATH; an archive
# tools/python-3.14t-linux-x86_64.tar.xz in a folder beside the repository, which is unpacked once
# into the user's cache. `SPIKEWIRE_PYTHON_FT=none` turns the search off.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
for archive in "$root"/../*/tools/python-3.14t-linux-x86_64.tar.xz; do
    [ ! -f "$archive" ] || break
done

# Has no GIL, and can create a virtual environment.
suits() {
    "$1" -c 'import sys, sysconfig, venv
sys.exit(not sysconfig.get_config_var("Py_GIL_DISABLED") or sys.version_info < (3, 14))' \
        >/dev/null 2>&1
}

case ${SPIKEWIRE_PYTHON_FT:-} in
    none) exit ;;
    ?*)
        suits "$SPIKEWIRE_PYTHON_FT" || {
            echo "free_threaded.sh: SPIKEWIRE_PYTHON_FT=$SPIKEWIRE_PYTHON_FT is no free-threaded" \
                "Python 3.14 or later" >&2
            exit 1
        }
        command -v "$SPIKEWIRE_PYTHON_FT"
        exit
        ;;
esac
if suits python3.14t; then
    command -v python3.14t
    exit
fi
if [ ! -f "$archive" ] || [ "$(uname -s)-$(uname -m)" != Linux-x86_64 ]; then
    exit
fi

# The folder is named after the archive's size and checksum: another archive gets another folder.
cache=${XDG_CACHE_HOME:-${HOME:-${TMPDIR:-/tmp}}/.cache}/spikewire
folder=$cache/python-3.14t-$(cksum <"$archive" | tr ' ' '-')
found=$folder/python-3.14t/bin/python3.14t
if [ ! -x "$found" ]; then
    mkdir -p "$cache"
    # Unpacked elsewhere and then renamed, so that nobody sees an incomplete folder.
    aside=$(mktemp -d "$cache/unpacking.XXXXXX")
    trap 'rm -rf "$aside"' EXIT
    if ! tar -xf "$archive" -C "$aside"; then
        echo "free_threaded.sh: the archive does not unpack (is xz installed?); doing without" >&2
        exit
    fi
    mv -T "$aside" "$folder" 2>/dev/null || true
fi
if suits "$found"; then
    echo "$found"
else
    echo "free_threaded.sh: the unpacked Python does not run here; doing without" >&2
fi
