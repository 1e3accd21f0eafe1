#!/bin/sh
# Every test that ctest knows stands in tests/README.md with what it checks.
#     listed.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$1"
missing=0

# The names of the tests of a build folder, from the files that ctest reads: `ctest -N` would overwrite the log of the run
# that this test is a part of.
names() {
    [ -e "$1/CTestTestfile.cmake" ] || return 0 # a folder without tests
    grep -oE '^add_test\([^A-Za-z]*[A-Za-z0-9_]+' "$1/CTestTestfile.cmake" | sed 's/.*[^A-Za-z0-9_]//'
    for folder in $(sed -nE 's/^subdirs\("(.*)"\)/\1/p' "$1/CTestTestfile.cmake"); do
        names "$1/$folder"
    done
}

for name in $(names "$2" | sed 's/^long_//; s/^\(sim\|life\)_fault_.*/\1_fault_*/' | sort -u); do
    grep -qF -e "\`$name\`" -e "\`long_$name\`" tests/README.md || { echo "$name is not in tests/README.md" && missing=1; }
done
exit $missing
