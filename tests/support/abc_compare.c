/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* abc_compare FILE FILE: tells the first difference of two archives as the official library reads
 * them; 0 when there is none, 1 when there is one. */
#include "abc_official.h"

#include <stdio.h>

int main(int count, char **arguments) {
    char text[400] = "";
    if (count != 3) {
        fprintf(stderr, "usage: abc_compare FILE FILE\n");
        return 64;
    }
    if (abc_official_equal(arguments[1], arguments[2], text, sizeof text))
        return 0;
    printf("%s\n", text);
    return 1;
}
