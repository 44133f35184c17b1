/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Error texts. Names come from files that nobody has vetted, so every text is cleaned. */
#include "abc_error.h"

#include <stdarg.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at `s`, or 0 if there is none. Overlong forms and surrogates do no
 * harm in a message and pass. */
static size_t character_length(const unsigned char *s) {
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (s[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Replaces control characters and what is not UTF-8; `cut` tells that the end may be half a
 * character, which is dropped. */
static void clean(char *text, int cut) {
    unsigned char *s = (unsigned char *)text;
    while (*s) {
        size_t length = character_length(s);
        if (length == 0 && cut && strlen((char *)s) < 4 && s[0] >= 0xc2) {
            *s = 0;
            return;
        }
        if (length == 0 || *s < 0x20 || *s == 0x7f) {
            *s = *s == '\n' || *s == '\t' ? ' ' : '?';
            length = 1;
        }
        s += length;
    }
}

abcc_status tl_abc_fail(abcc_error *error, abcc_status status, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        int length = vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        if (length < 0)
            error->text[0] = 0;
        clean(error->text, length >= (int)sizeof error->text);
        error->code = status;
    }
    return status;
}
