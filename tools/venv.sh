#!/bin/sh
# Makes a virtual environment and keeps it as requirement files say.
#
#   tools/venv.sh FOLDER PYTHON [FILE | --optional FILE]...
#
# A file that is installed already is skipped, so that this costs nothing when there is nothing to
# do and works without a network then. After --optional each line of the file is installed by
# itself, from a wheel; what cannot be had is named and does not fail the run.
set -eu

folder=$1
python=$2
shift 2

# Environments do not survive being moved, nor the removal of their interpreter.
here=$(cd "$(dirname "$folder")" && pwd -P)/$(basename "$folder")
wanted=$("$python" -c 'import sys; print(sys.version)')
if ! [ "$("$folder/bin/python" -c 'import sys; print(sys.prefix)' 2>/dev/null)" = "$here" ] ||
    ! [ "$("$folder/bin/python" -c 'import sys; print(sys.version)')" = "$wanted" ]
then
    echo "venv.sh: making $(basename "$folder") with $wanted"
    rm -rf "$folder"
    "$python" -m venv "$here" || {
        echo "venv.sh: $python cannot make environments (on Debian: apt-get install python3-venv)" >&2
        rm -rf "$folder"
        exit 1
    }
fi

install() {
    "$here/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$@"
}

while [ $# -gt 0 ]; do
    optional=
    if [ "$1" = --optional ]; then
        optional=yes
        shift
    fi
    file=$1
    shift
    stamp=$here/.installed-$(basename "$file" .txt)
    cmp -s "$file" "$stamp" && continue
    if [ -z "$optional" ]; then
        install -r "$file"
        cp "$file" "$stamp"
        continue
    fi
    missing=
    while read -r line; do
        case $line in '' | '#'*) continue ;; esac
        if ! why=$(install --only-binary :all: "$line" 2>&1); then
            missing=yes
            echo "venv.sh: not installed: $line ($(printf '%s\n' "$why" | tail -n 1))"
        fi
    done <"$file"
    # What is missing is tried again next time.
    [ -n "$missing" ] || cp "$file" "$stamp"
done
