/* number.c - the shortest decimal of a double, by Raffaello Giulietti's "Schubfach": the decimals
 * around a double are compared with the two numbers halfway to its neighbours, by one table of
 * powers of ten and integers of 128 bits, without a division of large numbers. */
#include "proto/base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/powers.h"

#define FRACTION_BITS 52
#define EXPONENT_BIAS 1075
/* From this exponent of ten on, and before the other one, a number is printed with an exponent. */
#define PLAIN_EXPONENT_MAX 21
#define PLAIN_EXPONENT_MIN (-7)

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

__extension__ typedef unsigned __int128 wide;

/* floor(log2(10^e)) and, of the interval below 2^e, floor(log10(2^e)) or floor(log10(3/4 2^e)). */
static int floor_log2_pow10(int e)
{
    return (e * 1741647) >> 19;
}

static int floor_log10_pow2(int e, bool is_three_quarters)
{
    return (e * 1262611 - (is_three_quarters ? 524031 : 0)) >> 22;
}

/* The upper part of a product with a power of ten; its last bit is set if anything was below. */
static uint64_t round_to_odd(const uint64_t power[2], uint64_t factor)
{
    const wide low = (wide)power[1] * factor;
    const wide high = (wide)power[0] * factor + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* Of the two decimals below and above, the one inside of the interval; if both are, or none is, the
 * nearer one to `value`, which is in quarters. */
static uint64_t nearer(uint64_t below, uint64_t value, uint64_t lower, uint64_t upper)
{
    const bool is_below_in = lower <= 4 * below, is_above_in = 4 * below + 4 <= upper;
    if (is_below_in != is_above_in) return below + is_above_in;
    const uint64_t middle = 4 * below + 2;
    return below + (value > middle || (value == middle && (below & 1) != 0));
}

/* The interval of the numbers that are read as fraction * 2^exponent is taken into units of a power
 * of ten such that at least one whole number, and at most one multiple of ten, is in it. */
static struct decimal shorten(uint64_t fraction, int exponent, bool is_lower_nearer)
{
    const bool is_open = (fraction & 1) != 0;
    const int k = floor_log10_pow2(exponent, is_lower_nearer);
    const int shift = exponent + floor_log2_pow10(-k) + 1;
    const uint64_t *power = powers[-k - POWERS_LEAST];
    const uint64_t lower =
        round_to_odd(power, (4 * fraction - 2 + is_lower_nearer) << shift) + is_open;
    const uint64_t value = round_to_odd(power, (4 * fraction) << shift);
    const uint64_t upper = round_to_odd(power, (4 * fraction + 2) << shift) - is_open;
    const uint64_t whole = value / 4, tens = whole / 10;
    const bool is_below_in = lower <= 40 * tens, is_above_in = 40 * tens + 40 <= upper;
    if (whole >= 10 && is_below_in != is_above_in)
        return (struct decimal){tens + is_above_in, k + 1};
    return (struct decimal){nearer(whole, value, lower, upper), k};
}

/* Of a finite number above 0. */
static struct decimal decimal_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint64_t below_one = bits & ((UINT64_C(1) << FRACTION_BITS) - 1);
    const int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
    const uint64_t fraction = biased > 0 ? below_one | UINT64_C(1) << FRACTION_BITS : below_one;
    const int exponent = (biased > 0 ? biased : 1) - EXPONENT_BIAS;
    if (exponent <= 0 && exponent > -FRACTION_BITS - 1 &&
        (fraction & ((UINT64_C(1) << -exponent) - 1)) == 0)
        return (struct decimal){fraction >> -exponent, 0};
    return shorten(fraction, exponent, below_one == 0 && biased > 1);
}

static size_t print_digits(uint64_t digits, char text[20])
{
    size_t count = 0;
    for (uint64_t left = digits; left > 0; left /= 10) count++;
    for (size_t i = count; i-- > 0; digits /= 10) text[i] = (char)('0' + digits % 10);
    return count;
}

/* Puts a point behind so many of the digits, 1 or more of which follow it. */
static size_t put_point(char *text, size_t count, size_t before)
{
    memmove(text + before + 1, text + before, count - before);
    text[before] = '.';
    return count + 1;
}

/* The digits stand in `text`; the first one counts 10^first. */
static size_t place_point(char *text, size_t count, int first)
{
    if (first >= PLAIN_EXPONENT_MAX || first < PLAIN_EXPONENT_MIN + 1) {
        const size_t size = count > 1 ? put_point(text, count, 1) : count;
        return size + (size_t)snprintf(text + size, 6, "e%d", first);
    }
    if (first < 0) {
        const size_t zeros = (size_t)-first - 1;
        memmove(text + 2 + zeros, text, count);
        memcpy(text, "0.00000", 2 + zeros);
        return 2 + zeros + count;
    }
    if ((size_t)first + 1 < count) return put_point(text, count, (size_t)first + 1);
    memset(text + count, '0', (size_t)first + 1 - count);
    return (size_t)first + 1;
}

size_t gz_number_print(double number, char text[GZ_NUMBER_BYTES_MAX])
{
    const size_t sign = signbit(number) != 0;
    text[0] = '-';
    if (number == 0) {
        text[sign] = '0';
        return sign + 1;
    }
    struct decimal decimal = decimal_of(fabs(number));
    for (; decimal.digits % 10 == 0; decimal.exponent++) decimal.digits /= 10;
    const size_t count = print_digits(decimal.digits, text + sign);
    return sign + place_point(text + sign, count, decimal.exponent + (int)count - 1);
}
