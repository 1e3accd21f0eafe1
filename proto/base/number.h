/* number.h - prints a double in the fewest digits that read back to the same bits. Threads: pure,
 * any. */
#ifndef GZ_BASE_NUMBER_H
#define GZ_BASE_NUMBER_H

#include <stddef.h>

/* Room for any double, as in -1.2345678901234567e-308, with more to spare. */
#define GZ_NUMBER_BYTES_MAX 32

/* Prints a finite number as JSON has it, not terminated, and returns how many bytes it has. Of
 * several decimals of the fewest digits it is the one nearest to the number. Whole numbers have no
 * point; from 1e21 on, and below 1e-6, there is an exponent. A negative zero is -0. */
size_t gz_number_print(double number, char text[GZ_NUMBER_BYTES_MAX]);

#endif
