#!/bin/sh
# Creates a virtual environment and keeps it in step with requirement files.
#
#   tools/venv.sh FOLDER PYTHON [FILE | --optional FILE | --attempt FILE | --editable PROJECT]...
#
# A file that is already installed is skipped, so that nothing is done, and no network needed, if
# nothing changed. After --optional each line of the file is installed separately, from a wheel;
# packages that cannot be installed are listed and do not fail the run. --attempt is the same, but
# packages without a wheel are built from source. --editable installs a project of this repository in
# place; its dependencies, and what builds it, have to be in files before it.
set -eu

folder=$1
python=$2
shift 2

# Environments break if they are moved, or if their interpreter is removed.
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
    if [ "$how" = --editable ]; then
        stamp=$here/.installed-$(basename "$file")
        cmp -s "$file/pyproject.toml" "$stamp" && continue
        install --no-index --no-deps --no-build-isolation --editable "$file"
        cp "$file/pyproject.toml" "$stamp"
        continue
    fi
    stamp=$here/.installed-$(basename "$file" .txt)
    cmp -s "$file" "$stamp" && continue
    echo "venv.sh: installing what $file lists"
    if [ -z "$how" ]; then
        install -r "$file"
        cp "$file" "$stamp"
        continue
    fi
    wheels=:all:
    [ "$how" = --optional ] || wheels=:none:
    # All at once takes a fraction of the time; only line by line shows what is missing.
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
    # Missing packages are tried again next time.
    [ -n "$missing" ] || cp "$file" "$stamp"
done
