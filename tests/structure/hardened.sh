#!/bin/sh
# hardened.sh PROGRAM...: fails unless each program is hardened as CMakeLists.txt says: position-independent, its tables read-only
# once it runs, a stack that is not executable, copies and stacks checked.
set -eu
failed=0
for program in "$@"; do
    lacks() {
        echo "$program: $1" >&2
        failed=1
    }
    readelf -h "$program" | grep -q 'Type: *DYN' || lacks "is not position-independent"
    readelf -lW "$program" | grep -q 'GNU_RELRO' || lacks "has no RELRO"
    readelf -dW "$program" | grep -q 'BIND_NOW\|Flags:.*NOW' || lacks "binds late"
    readelf -lW "$program" | grep 'GNU_STACK' | grep -q 'RWE' && lacks "has an executable stack"
    readelf -lW "$program" | grep 'LOAD' | grep -q 'RWE' && lacks "has memory that is written and executed"
    readelf -sW --dyn-syms "$program" | grep -q '__stack_chk_fail' || lacks "does not check its stacks"
    readelf -sW --dyn-syms "$program" | grep -q '__[a-z]*_chk@' || lacks "does not check its copies (FORTIFY)"
done
exit $failed
