/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Walks an Ogawa file from its root and verifies every part that the Alembic library would follow
 * or size a buffer by. The layout, all numbers little-endian:
 *
 *   header    "Ogawa", 0xff when finished, version 0 1, position of the root group
 *   group     number of children, then one position each; the top bit marks a block; 0 is empty
 *   block     number of bytes, then the bytes
 *   root      blocks: format, library version; group: top object; blocks: metadata, times, shared
 *             metadata
 *   object    group: its properties; groups: its children; block: headers of the children, 32
 *             bytes of hashes
 *   compound  groups: its properties; block: their headers
 *   array     blocks in pairs: 16 bytes of hash and the values; dimensions, or empty
 *   scalar    blocks: 16 bytes of hash and the value
 *
 * Groups form a tree in every file a writer makes, so a walk meets at most one child entry for
 * every eight bytes of the file; a file that needs more refers to itself and is refused. The same
 * holds for the bytes of headers. Samples may be shared: of texts, which are read to be counted,
 * the last blocks are remembered, and what is read altogether is bounded. */
#include "abc_check.h"

#include "abc_error.h"

#include <float.h>
#include <stdio.h>

#define BLOCK_BIT ((uint64_t)1 << 63)
#define HEADER_SIZE 16u
#define OGAWA_VERSION 0x100u /* 0 1 in the file */
#define HASH_SIZE 16u
#define MAX_RANK 32u
#define MAX_DEPTH 1000u
/* Of one property: eight days of frames. Repeats are not stored, so that the file's size is no
 * bound. */
#define MAX_SAMPLES (1u << 24)
/* Blocks of texts that are remembered, and bytes of texts that are read beyond the file's size. */
#define TEXTS_KEPT 1024u
#define TEXT_BYTES_MORE ((uint64_t)1 << 28)
#define POD_STRING 12u
#define POD_WSTRING 13u
/* The step that marks a list of times without a rule. */
#define ACYCLIC_STEP (DBL_MAX / 32.0)

/* A block of texts that was read, and how many it holds. */
typedef struct Texts {
    uint64_t at, count;
    unsigned unit;
} Texts;

typedef struct Check {
    const TlAbcSource *source;
    abcc_limits limits;
    abcc_error *error;
    abcc_status status;
    uint64_t entries_left; /* child entries that may still be met */
    uint64_t header_bytes_left, text_bytes_left;
    uint32_t objects, times, metadata;
    uint64_t window_at;
    size_t window_size;
    size_t path_length;
    char path[512]; /* object, then ':' and property; cut when it is longer */
    uint8_t window[4096];
    Texts texts[TEXTS_KEPT]; /* by position */
} Check;

typedef struct Group {
    uint64_t at, count;
} Group;

typedef struct Block {
    uint64_t at, size; /* of the content */
} Block;

typedef struct Cursor {
    uint64_t at, end;
} Cursor;

typedef struct Property {
    uint32_t kind; /* 0 compound, 1 scalar, 2 array */
    uint32_t pod, extent, samples, first, last;
} Property;

static const uint8_t pod_size[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 1, 4};

abcc_limits tl_abc_limits(const abcc_limits *limits) {
    abcc_limits used = limits ? *limits : abcc_limits_default();
    if (used.max_depth == 0)
        used.max_depth = 256;
    if (used.max_depth > MAX_DEPTH)
        used.max_depth = MAX_DEPTH;
    if (used.max_objects == 0)
        used.max_objects = 1000000;
    if (used.max_sample_bytes == 0)
        used.max_sample_bytes = (uint64_t)1 << 32;
    return used;
}

/* ---- reporting ---- */

static bool refuse(Check *check, abcc_status status, const char *what) {
    if (check->path_length)
        check->status = tl_abc_fail(check->error, status, "%.140s: %s", check->path, what);
    else
        check->status = tl_abc_fail(check->error, status, "%s", what);
    return false;
}

static bool corrupt(Check *check, const char *what) {
    char text[160];
    snprintf(text, sizeof text, "%s; the file is damaged: copy or export it again", what);
    return refuse(check, ABCC_E_CORRUPT, text);
}

/* Appends a name to the path kept for messages and answers the length to go back to. */
static size_t path_push(Check *check, char separator, const char *name) {
    size_t before = check->path_length;
    int added =
        snprintf(check->path + before, sizeof check->path - before, "%c%s", separator, name);
    size_t room = sizeof check->path - 1 - before;
    check->path_length += added < 0 ? 0 : (size_t)added < room ? (size_t)added : room;
    return before;
}

static void path_pop(Check *check, size_t length) {
    check->path_length = length;
    check->path[length] = 0;
}

/* ---- bytes ---- */

static bool read_at(Check *check, uint64_t at, void *data, size_t size) {
    const TlAbcSource *source = check->source;
    if (at > source->size || size > source->size - at)
        return corrupt(check, "a part of it lies beyond the end of the file");
    if (at < check->window_at || at + size > check->window_at + check->window_size) {
        uint64_t rest = source->size - at;
        check->window_at = at;
        check->window_size = rest < sizeof check->window ? (size_t)rest : sizeof check->window;
        if (!source->read(source->user, at, check->window, check->window_size)) {
            check->window_size = 0;
            return refuse(check, ABCC_E_IO, "the file could not be read");
        }
    }
    memcpy(data, check->window + (at - check->window_at), size);
    return true;
}

static uint64_t decode(const uint8_t *bytes, unsigned count) {
    uint64_t value = 0;
    for (unsigned i = count; i > 0; i--)
        value = value << 8 | bytes[i - 1];
    return value;
}

static bool read_u64(Check *check, uint64_t at, uint64_t *value) {
    uint8_t bytes[8];
    if (!read_at(check, at, bytes, 8))
        return false;
    *value = decode(bytes, 8);
    return true;
}

static bool take_number(Check *check, Cursor *cursor, unsigned size, uint64_t *value) {
    uint8_t bytes[8];
    if (cursor->end - cursor->at < size)
        return corrupt(check, "a header is cut short");
    if (!read_at(check, cursor->at, bytes, size))
        return false;
    *value = decode(bytes, size);
    cursor->at += size;
    return true;
}

static bool take_u32(Check *check, Cursor *cursor, unsigned size, uint32_t *value) {
    uint64_t wide = 0;
    bool fine = take_number(check, cursor, size, &wide);
    *value = (uint32_t)wide;
    return fine;
}

static bool take_double(Check *check, Cursor *cursor, double *value) {
    uint64_t bits = 0;
    if (!take_number(check, cursor, 8, &bits))
        return false;
    memcpy(value, &bits, sizeof *value);
    return true;
}

static bool skip(Check *check, Cursor *cursor, uint64_t size) {
    if (cursor->end - cursor->at < size)
        return corrupt(check, "a header is cut short");
    cursor->at += size;
    return true;
}

/* Takes a name; `name` receives as much of it as fits. */
static bool take_name(Check *check, Cursor *cursor, uint32_t size, char name[128]) {
    size_t kept = size < 127 ? size : 127;
    name[0] = 0;
    if (size == 0)
        return corrupt(check, "something below it has no name");
    if (cursor->end - cursor->at < size)
        return corrupt(check, "a header is cut short");
    if (!read_at(check, cursor->at, name, kept))
        return false;
    name[kept] = 0;
    cursor->at += size;
    return true;
}

/* ---- groups and blocks ---- */

static bool open_group(Check *check, uint64_t entry, Group *group) {
    group->at = entry;
    group->count = 0;
    if (entry & BLOCK_BIT)
        return corrupt(check, "data stands where a group belongs");
    if (entry == 0)
        return true;
    if (entry < HEADER_SIZE)
        return corrupt(check, "a group lies inside the file's header");
    if (!read_u64(check, entry, &group->count))
        return false;
    if (group->count == 0 || group->count > (check->source->size - entry - 8) / 8)
        return corrupt(check, "a group has an impossible number of children");
    if (group->count > check->entries_left)
        return corrupt(check, "a group is used twice");
    check->entries_left -= group->count;
    return true;
}

static bool child(Check *check, const Group *group, uint64_t i, uint64_t *entry) {
    return read_u64(check, group->at + 8 + 8 * i, entry);
}

static bool open_block(Check *check, const Group *group, uint64_t i, Block *block) {
    uint64_t entry = 0;
    if (!child(check, group, i, &entry))
        return false;
    if (!(entry & BLOCK_BIT))
        return corrupt(check, "a group stands where data belongs");
    entry &= ~BLOCK_BIT;
    block->at = entry + 8;
    block->size = 0;
    if (entry == 0)
        return true;
    if (entry < HEADER_SIZE)
        return corrupt(check, "data lies inside the file's header");
    if (!read_u64(check, entry, &block->size))
        return false;
    if (block->size > check->source->size - entry - 8)
        return corrupt(check, "data reaches beyond the end of the file");
    return true;
}

/* Opens a block of headers, which belongs to one group alone. */
static bool open_headers(Check *check, const Group *group, Block *block) {
    if (!open_block(check, group, group->count - 1, block))
        return false;
    if (block->size > check->header_bytes_left)
        return corrupt(check, "a list of names is used twice");
    check->header_bytes_left -= block->size;
    return true;
}

/* ---- samples ---- */

/* Counts the units of `unit` bytes that are zero; *ends tells whether the last one is. */
static uint64_t count_zeros(const uint8_t *bytes, size_t size, unsigned unit, bool *ends) {
    uint64_t count = 0;
    for (size_t i = 0; i < size; i += unit) {
        uint8_t any = bytes[i];
        for (unsigned k = 1; k < unit; k++)
            any |= bytes[i + k];
        *ends = any == 0;
        count += *ends;
    }
    return count;
}

/* Reads the texts of a block to count them; each ends with a zero unit of `unit` bytes. */
static bool read_strings(Check *check, Block block, unsigned unit, uint64_t *count) {
    uint8_t piece[1024]; /* a whole number of units */
    uint64_t end = block.at + block.size;
    bool ends = false;
    if ((block.size - HASH_SIZE) % unit)
        return corrupt(check, "a text is cut short");
    if (block.size > check->text_bytes_left)
        return refuse(check, ABCC_E_LIMIT, "the file shares more text than the limit allows");
    check->text_bytes_left -= block.size;
    for (uint64_t at = block.at + HASH_SIZE; at < end; at += sizeof piece) {
        size_t size = end - at < sizeof piece ? (size_t)(end - at) : sizeof piece;
        if (!read_at(check, at, piece, size))
            return false;
        *count += count_zeros(piece, size, unit, &ends);
    }
    return ends || corrupt(check, "a text does not end");
}

/* Counts the texts of a block; one that was met before is not read again. */
static bool count_strings(Check *check, Block block, unsigned unit, uint64_t *count) {
    *count = 0;
    if (block.size <= HASH_SIZE)
        return true;
    Texts *kept = &check->texts[block.at / 8 % TEXTS_KEPT];
    if (kept->at == block.at && kept->unit == unit) {
        *count = kept->count;
        return true;
    }
    if (!read_strings(check, block, unit, count))
        return false;
    *kept = (Texts){block.at, *count, unit};
    return true;
}

/* Product of an array's dimensions; without dimensions the data itself tells, and *known is false.
 */
static bool read_dimensions(Check *check, Block dimensions, bool *known, uint64_t *points) {
    uint64_t rank = dimensions.size / 8, extent = 0;
    *known = dimensions.size > 0;
    *points = 1;
    if (!*known)
        return true;
    if (dimensions.size % 8 || rank > MAX_RANK)
        return corrupt(check, "the dimensions of an array are malformed");
    for (uint64_t i = 0; i < rank; i++) {
        if (!read_u64(check, dimensions.at + 8 * i, &extent))
            return false;
        if (extent != 0 && *points > check->source->size / extent)
            return corrupt(check, "an array is larger than the file");
        *points *= extent;
    }
    return true;
}

static bool check_size_limit(Check *check, Block data) {
    if (data.size > check->limits.max_sample_bytes)
        return refuse(check, ABCC_E_LIMIT, "one sample is larger than the limit allows");
    if (data.size > 0 && data.size < HASH_SIZE)
        return corrupt(check, "a sample is too short");
    return true;
}

static bool check_scalar(Check *check, const Property *property, Block data) {
    uint64_t strings = 0;
    if (!check_size_limit(check, data))
        return false;
    if (property->pod < POD_STRING)
        return data.size == HASH_SIZE + (uint64_t)pod_size[property->pod] * property->extent ||
               corrupt(check, "a value has not the size its type asks for");
    if (!count_strings(check, data, pod_size[property->pod], &strings))
        return false;
    return strings == property->extent ||
           corrupt(check, "a text is missing or there is one too many");
}

static bool check_array(Check *check, const Property *property, Block data, Block dimensions) {
    bool known = false;
    uint64_t points = 0, values = 0;
    uint64_t payload = data.size > HASH_SIZE ? data.size - HASH_SIZE : 0;
    uint64_t element = (uint64_t)pod_size[property->pod] * property->extent;
    if (!check_size_limit(check, data) || !read_dimensions(check, dimensions, &known, &points))
        return false;
    if (property->pod < POD_STRING) {
        if (payload % element)
            return corrupt(check, "an array ends within an element");
        values = payload / element;
    } else {
        if (!count_strings(check, data, pod_size[property->pod], &values))
            return false;
        if (values % property->extent)
            return corrupt(check, "a text is missing");
        values /= property->extent;
        if (!known && values > 0)
            return corrupt(check, "an array of texts has no dimensions");
    }
    return !known || points == values || corrupt(check, "an array and its dimensions differ");
}

/* How many samples the file stores: repeats at the start and at the end are stored once. */
static uint64_t stored_samples(const Property *property) {
    if (property->samples == 0)
        return 0;
    if (property->first == 0 && property->last == 0)
        return 1;
    return (uint64_t)property->last - property->first + 2;
}

static bool check_samples(Check *check, const Property *property, uint64_t entry) {
    Group group;
    Block data, dimensions;
    bool array = property->kind == 2;
    uint64_t count = stored_samples(property);
    if (!open_group(check, entry, &group))
        return false;
    if (group.count < (array ? 2 * count : count))
        return corrupt(check, "samples are missing");
    for (uint64_t i = 0; i < count; i++) {
        if (!open_block(check, &group, array ? 2 * i : i, &data))
            return false;
        if (array ? !open_block(check, &group, 2 * i + 1, &dimensions) ||
                        !check_array(check, property, data, dimensions)
                  : !check_scalar(check, property, data))
            return false;
    }
    return true;
}

/* ---- properties ---- */

static bool take_sampling(Check *check, Cursor *cursor, uint32_t info, unsigned size,
                          Property *property) {
    uint32_t sampling = 0;
    property->pod = info >> 4 & 15u;
    property->extent = info >> 12 & 255u;
    if (property->pod > POD_WSTRING || property->extent == 0)
        return corrupt(check, "a property has an unknown type");
    if (!take_u32(check, cursor, size, &property->samples))
        return false;
    if (property->samples > MAX_SAMPLES)
        return refuse(check, ABCC_E_LIMIT, "a property has more samples than the limit allows");
    property->first = info & 0x800u ? 0 : 1;
    property->last = info & 0x800u || property->samples == 0 ? 0 : property->samples - 1;
    if (info & 0x200u && (!take_u32(check, cursor, size, &property->first) ||
                          !take_u32(check, cursor, size, &property->last)))
        return false;
    if (property->samples > 0 &&
        (property->last >= property->samples || property->first > property->last + 1))
        return corrupt(check, "a property counts its samples wrongly");
    if (info & 0x100u && !take_u32(check, cursor, size, &sampling))
        return false;
    return sampling < check->times || corrupt(check, "a property has no times");
}

/* One header of a property: flags, samples, times, name, metadata. */
static bool take_property(Check *check, Cursor *cursor, Property *property, char name[128]) {
    uint32_t info = 0, length = 0;
    memset(property, 0, sizeof *property);
    if (!take_u32(check, cursor, 4, &info))
        return false;
    unsigned hint = info >> 2 & 3u;
    if (hint == 3)
        return corrupt(check, "the header of a property is malformed");
    unsigned size = 1u << hint;
    property->kind = (info & 3u) < 2 ? info & 3u : 2;
    if (property->kind != 0 && !take_sampling(check, cursor, info, size, property))
        return false;
    if (!take_u32(check, cursor, size, &length) || !take_name(check, cursor, length, name))
        return false;
    uint32_t index = info >> 20 & 255u;
    if (index == 255)
        return take_u32(check, cursor, size, &length) && skip(check, cursor, length);
    return index < check->metadata || corrupt(check, "a property has unknown metadata");
}

static bool check_compound(Check *check, uint64_t entry, uint32_t depth) {
    Group group;
    Block headers;
    Property property;
    char name[128];
    uint64_t count = 0, below = 0;
    if (depth > check->limits.max_depth)
        return refuse(check, ABCC_E_LIMIT, "it is nested deeper than the limit allows");
    if (!open_group(check, entry, &group))
        return false;
    if (group.count == 0)
        return true;
    if (!open_headers(check, &group, &headers))
        return false;
    Cursor cursor = {headers.at, headers.at + headers.size};
    for (; cursor.at < cursor.end; count++) {
        if (!take_property(check, &cursor, &property, name))
            return false;
        size_t length = path_push(check, depth == 1 ? ':' : '/', name);
        if (count >= group.count - 1)
            return corrupt(check, "a property has no data");
        if (!child(check, &group, count, &below))
            return false;
        if (property.kind == 0 ? !check_compound(check, below, depth + 1)
                               : !check_samples(check, &property, below))
            return false;
        path_pop(check, length);
    }
    return count == group.count - 1 || corrupt(check, "a property has no header");
}

/* ---- objects ---- */

static bool take_object(Check *check, Cursor *cursor, char name[128]) {
    uint32_t length = 0, index = 0;
    if (!take_u32(check, cursor, 4, &length) || !take_name(check, cursor, length, name) ||
        !take_u32(check, cursor, 1, &index))
        return false;
    if (index == 255)
        return take_u32(check, cursor, 4, &length) && skip(check, cursor, length);
    return index < check->metadata || corrupt(check, "an object has unknown metadata");
}

static bool check_object(Check *check, uint64_t entry, uint32_t depth) {
    Group group;
    Block headers;
    char name[128];
    uint64_t count = 0, below = 0;
    if (depth > check->limits.max_depth)
        return refuse(check, ABCC_E_LIMIT, "it is nested deeper than the limit allows");
    if (check->objects++ >= check->limits.max_objects)
        return refuse(check, ABCC_E_LIMIT, "the file has more objects than the limit allows");
    if (!open_group(check, entry, &group))
        return false;
    if (group.count < 2)
        return corrupt(check, "the object is empty");
    if (!child(check, &group, 0, &below) || !check_compound(check, below, 1) ||
        !open_headers(check, &group, &headers))
        return false;
    if (headers.size < 2 * HASH_SIZE)
        return corrupt(check, "the object has no list of children");
    Cursor cursor = {headers.at, headers.at + headers.size - 2 * HASH_SIZE};
    for (; cursor.at < cursor.end; count++) {
        if (!take_object(check, &cursor, name))
            return false;
        size_t length = path_push(check, '/', name);
        if (count >= group.count - 2)
            return corrupt(check, "the object has no data");
        if (!child(check, &group, count + 1, &below) || !check_object(check, below, depth + 1))
            return false;
        path_pop(check, length);
    }
    return count == group.count - 2 || corrupt(check, "a child has no header");
}

/* ---- archive ---- */

static bool check_times(Check *check, Block block) {
    Cursor cursor = {block.at, block.at + block.size};
    while (cursor.at < cursor.end) {
        uint32_t samples = 0, count = 0;
        double step = 0, first = 0, time = 0, before = -DBL_MAX;
        if (!take_u32(check, &cursor, 4, &samples) || !take_double(check, &cursor, &step) ||
            !take_u32(check, &cursor, 4, &count))
            return false;
        if (count == 0 || !(step > 0) || !(step <= ACYCLIC_STEP))
            return corrupt(check, "a list of times is malformed");
        for (uint32_t i = 0; i < count; i++, before = time) {
            if (!take_double(check, &cursor, &time))
                return false;
            first = i == 0 ? time : first;
            if (!(time > before) || !(time < DBL_MAX))
                return corrupt(check, "times do not increase");
        }
        if (step < ACYCLIC_STEP && !(time - first <= step))
            return corrupt(check, "the times of one cycle are longer than the cycle");
        check->times++;
    }
    return check->times > 0 || corrupt(check, "the file has no times");
}

static bool check_metadata(Check *check, Block block) {
    Cursor cursor = {block.at, block.at + block.size};
    check->metadata = 1;
    if (block.size > 65536)
        return corrupt(check, "the shared metadata is too long");
    while (cursor.at < cursor.end) {
        uint32_t size = 0;
        if (!take_u32(check, &cursor, 1, &size) || !skip(check, &cursor, size))
            return false;
        check->metadata++;
    }
    return true;
}

static bool later_format(Check *check) {
    return refuse(check, ABCC_E_CORRUPT,
                  "the file is of a later format than this program knows; export it for Alembic "
                  "1.8 or earlier");
}

static bool check_version(Check *check, Block format, Block library) {
    Cursor first = {format.at, format.at + format.size};
    Cursor second = {library.at, library.at + library.size};
    uint32_t value = 0;
    if (format.size != 4 || library.size != 4)
        return corrupt(check, "the file has no version");
    if (!take_u32(check, &first, 4, &value))
        return false;
    if (value != 0)
        return later_format(check);
    if (!take_u32(check, &second, 4, &value))
        return false;
    return (value >= 9999 && value <= INT32_MAX) || corrupt(check, "the file has no version");
}

static bool check_root(Check *check, uint64_t entry) {
    Group group;
    Block blocks[6];
    uint64_t top = 0;
    if (!open_group(check, entry, &group))
        return false;
    if (group.count < 6)
        return refuse(check, ABCC_E_NOT_ALEMBIC, "this is not an Alembic file");
    for (unsigned i = 0; i < 6; i++)
        if (i != 2 && !open_block(check, &group, i, &blocks[i]))
            return false;
    return check_version(check, blocks[0], blocks[1]) && check_times(check, blocks[4]) &&
           check_metadata(check, blocks[5]) && child(check, &group, 2, &top) &&
           check_object(check, top, 1);
}

static bool check_header(Check *check, uint64_t *root) {
    static const uint8_t hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    uint8_t header[HEADER_SIZE] = {0};
    size_t size = check->source->size < HEADER_SIZE ? (size_t)check->source->size : HEADER_SIZE;
    if (!read_at(check, 0, header, size))
        return false;
    if (memcmp(header, hdf5, sizeof hdf5) == 0)
        return refuse(check, ABCC_E_HDF5,
                      "this is an Alembic file of the old HDF5 kind; convert it by 'abcconvert "
                      "-toOgawa'");
    if (memcmp(header, "Ogawa", 5) != 0)
        return refuse(check, ABCC_E_NOT_ALEMBIC, "this is not an Alembic file");
    *root = decode(header + 8, 8);
    if (size < HEADER_SIZE || header[5] != 0xff || *root == 0)
        return refuse(check, ABCC_E_UNFINISHED,
                      "its writer was stopped before the file was whole; export it again");
    return decode(header + 6, 2) == OGAWA_VERSION || later_format(check);
}

abcc_status tl_abc_check(const TlAbcSource *source, const abcc_limits *limits, abcc_error *error) {
    Check check;
    uint64_t root = 0;
    memset(&check, 0, sizeof check);
    check.source = source;
    check.limits = tl_abc_limits(limits);
    check.error = error;
    check.entries_left = source->size / 8;
    check.header_bytes_left = source->size;
    check.text_bytes_left = source->size + TEXT_BYTES_MORE;
    if (check_header(&check, &root))
        check_root(&check, root);
    return check.status;
}
