#!/bin/sh
# The solver links the C mathematics library and nothing that allocates, opens, prints or waits.
#     solver_symbols.sh LIBGIZMO_SOLVER.a LIBGIZMOD_BASE.a
set -eu
defined=$(nm --defined-only "$1" "$2" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u)
wanted=$(nm -u "$1" 2>/dev/null | awk '$1 == "U" {print $2}' | sort -u)
allowed='^(sin|cos|tan|asin|acos|atan|atan2|sincos|sqrt|cbrt|hypot|pow|exp|expm1|log|fabs|fmin|fmax|floor|ceil|round|trunc|rint|remainder|fmod|frexp|ldexp|nextafter|copysign|fma|isfinite|finite|memcpy|memmove|memset|__memcpy_chk|__memmove_chk|__memset_chk|memcmp|strcmp|strncmp|strlen|__stack_chk_fail|__assert_fail|_GLOBAL_OFFSET_TABLE_|__asan_.*|__ubsan_.*|__tsan_.*|__sanitizer_.*|__sancov_.*)$'
status=0
for symbol in $wanted; do
    echo "$defined" | grep -qx -- "$symbol" && continue
    echo "$symbol" | grep -qE "$allowed" && continue
    echo "the solver needs $symbol"
    status=1
done
[ -n "$wanted" ] || { echo "no symbols were read: is nm there?"; exit 1; }
exit $status
