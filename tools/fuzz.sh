#!/bin/sh
# Fuzzes everything that parses bytes from a network, briefly: enough for every test run.
#
#   tools/fuzz.sh                      all targets, 50,000 inputs or 5 seconds each
#   tools/fuzz.sh value info           these targets
#   FUZZ_RUNS=-1 FUZZ_SECONDS=600 tools/fuzz.sh value
#
# Needs Rust (stable is enough) and a C++ compiler, which builds the fuzzing engine. Exits with 1 if
# an input fails a target; the input is then in fuzz/artifacts/<target>/ and can be run again with:
# tools/fuzz.sh <target> fuzz/artifacts/<target>/<file>
#
# For long runs with address checks, given a nightly toolchain and cargo-fuzz:
#
#   cargo +nightly fuzz run value fuzz/corpus/value fuzz/seeds/value
#
# Both ways share fuzz/corpus (generated inputs, not in git) and fuzz/seeds (initial inputs).
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root/fuzz"

targets=
input=
for argument; do
    case $argument in
        */*) input=$argument ;;
        *) targets="$targets $argument" ;;
    esac
done
targets=${targets:-$(basename -s .rs fuzz_targets/*.rs)}
case $input in
    '' | /*) ;;
    *) input=$root/$input ;;
esac

host=$(rustc -vV | sed -n 's/^host: //p')
out=${CARGO_TARGET_DIR:-$root/target}/fuzz

# Coverage counters and compared values guide the engine; no sanitizer, which stable Rust lacks.
flags='-Cpasses=sancov-module'
flags="$flags -Cllvm-args=-sanitizer-coverage-level=4"
flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags="$flags -Cllvm-args=-sanitizer-coverage-pc-table"
flags="$flags -Cllvm-args=-sanitizer-coverage-trace-compares"
flags="$flags --cfg fuzzing"

# Naming the target keeps the flags away from build scripts and macros.
bins=
for target in $targets; do
    bins="$bins --bin $target"
done
# shellcheck disable=SC2086 # words on purpose
RUSTFLAGS=$flags cargo build --quiet --release --target "$host" --target-dir "$out" $bins

if [ -n "$input" ]; then
    # shellcheck disable=SC2086 # one target
    exec "$out/$host/release/"${targets# } "$input"
fi

# As many at once as there are processors; each bounds its own time.
programs=$out/$host/release
# shellcheck disable=SC2016 disable=SC2086 # expanded by the inner shell; words on purpose
printf '%s\n' $targets | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh -c '
    mkdir -p "corpus/$1" "artifacts/$1"
    rm -f "$0/$1.passed"
    if "$0/$1" "corpus/$1" "seeds/$1" "-artifact_prefix=$PWD/artifacts/$1/" \
        "-runs=${FUZZ_RUNS:-50000}" "-max_total_time=${FUZZ_SECONDS:-5}" \
        -max_len=4096 -timeout=60 -rss_limit_mb=512 >"$0/$1.log" 2>&1
    then
        touch "$0/$1.passed"
    fi
' "$programs"

broken=
for target in $targets; do
    log=$programs/$target.log
    if [ -e "$programs/$target.passed" ]; then
        printf '%-12s %s\n' "$target" "$(grep '^Done ' "$log" || true)"
    else
        broken="$broken $target"
        printf '%-12s broken:\n' "$target"
        grep -v '^#\|NEW_FUNC' "$log" || true
    fi
done
if [ -n "$broken" ]; then
    echo "fuzz.sh: broken targets:$broken" >&2
    exit 1
fi
