#!/bin/sh
# Every test that ctest knows stands in tests/README.md with what it checks.
#     listed.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$1"
missing=0
for name in $(ctest --test-dir "$2" -N | sed -nE 's/^ *Test +#[0-9]+: (long_)?//p' | sed 's/^sim_fault_.*/sim_fault_*/' | sort -u); do
    grep -qF "\`$name\`" tests/README.md || { echo "$name is not in tests/README.md" && missing=1; }
done
exit $missing
