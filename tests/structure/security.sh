#!/bin/sh
# Every test that server/SECURITY.md names is there: functions of C and Python, and files below tests/.
#     security.sh SOURCE_DIR
set -eu
cd "$1"
named() {
    grep -oE "\`$1\`" server/SECURITY.md | tr -d '`' | sort -u
}
missing=0
count=0

for name in $(named 'test_[a-z0-9_]+'); do
    count=$((count + 1))
    grep -rqE --include='*.c' --include='*.py' "TEST[A-Z_]*\($name[,)]|def $name\(" tests || { echo "no test is called $name" && missing=1; }
done
for file in $(named '[a-z/]+/[a-z_]+\.(test\.js|c|py)'); do
    count=$((count + 1))
    [ -e "tests/$file" ] || { echo "there is no tests/$file" && missing=1; }
done
[ "$count" -gt 40 ] || { echo "only $count names were found in server/SECURITY.md" && missing=1; }
exit $missing
