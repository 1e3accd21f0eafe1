#!/bin/sh
# Every test that ctest knows stands in tests/README.md with what it checks.
#     listed.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$1"
missing=0
# From ctest's files: `ctest -N` would overwrite the log of the run that this test is a part of.
for name in $(find "$2" -name CTestTestfile.cmake -exec grep -hoE '^add_test\([^A-Za-z]*[A-Za-z0-9_]+' {} + |
    sed -E 's/.*[^A-Za-z0-9_]//; s/^long_//; s/^sim_fault_.*/sim_fault_*/' | sort -u); do
    grep -qF "\`$name\`" tests/README.md || { echo "$name is not in tests/README.md" && missing=1; }
done
exit $missing
