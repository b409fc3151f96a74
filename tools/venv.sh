#!/bin/sh
# Makes a virtual environment and keeps it as requirement files say.
#
#   tools/venv.sh FOLDER PYTHON [FILE | --optional FILE | --attempt FILE]...
#
# A file that is installed already is skipped, so that this costs nothing when there is nothing to
# do and works without a network then. After --optional each line of the file is installed by
# itself, from a wheel; what cannot be had is named and does not fail the run. --attempt is the
# same, but what has no wheel is built from source.
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
    how=
    case $1 in
        --*)
            how=$1
            shift
            ;;
    esac
    file=$1
    shift
    stamp=$here/.installed-$(basename "$file" .txt)
    cmp -s "$file" "$stamp" && continue
    if [ -z "$how" ]; then
        install -r "$file"
        cp "$file" "$stamp"
        continue
    fi
    wheels=:all:
    [ "$how" = --optional ] || wheels=:none:
    # All at once takes a fraction of the time; what is missing has to be found line by line.
    if install --only-binary "$wheels" -r "$file" 2>/dev/null; then
        cp "$file" "$stamp"
        continue
    fi
    missing=
    while read -r line; do
        case $line in '' | '#'*) continue ;; esac
        if ! why=$(install --only-binary "$wheels" "$line" 2>&1); then
            missing=yes
            echo "venv.sh: not installed: $line ($(printf '%s\n' "$why" | tail -n 1))"
        fi
    done <"$file"
    # What is missing is tried again next time.
    [ -n "$missing" ] || cp "$file" "$stamp"
done
