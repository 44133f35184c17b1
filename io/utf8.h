/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, one character at a time. */
#ifndef TL_IO_UTF8_H
#define TL_IO_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `text`, 1 to 4, or 0 when what stands there is not valid UTF-8: cut,
 * longer than needed, a surrogate, or beyond U+10FFFF (RFC 3629). */
static inline size_t tl_utf8_length(const char *text, size_t size) {
    const unsigned char *byte = (const unsigned char *)text;
    if (size == 0)
        return 0;
    if (byte[0] < 0x80)
        return 1;
    size_t length = byte[0] >= 0xF0 ? 4 : byte[0] >= 0xE0 ? 3 : 2;
    if (byte[0] < 0xC2 || byte[0] > 0xF4 || size < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    int wrong = (byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xED && byte[1] > 0x9F) ||
                (byte[0] == 0xF0 && byte[1] < 0x90) || (byte[0] == 0xF4 && byte[1] > 0x8F);
    return wrong ? 0 : length;
}

/* Writes a character of up to U+10FFFF and answers its 1 to 4 bytes. */
static inline size_t tl_utf8_encode(uint32_t code, char *out) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    out[0] = (char)(leads[length] | code);
    return length;
}

#endif
