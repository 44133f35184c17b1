/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What ISO C lacks for readers and writers: files by UTF-8 path, replacement of a file in one
 * step, and paths relative to another file. Nothing else in io/ calls the system. */
#ifndef TL_IO_PLATFORM_H
#define TL_IO_PLATFORM_H

#include "toile/base.h"

/* True when there is a folder of this name. */
bool tl_io_is_folder(const char *path);

/* True when both paths lead to one file that is there, by whatever names and links. */
bool tl_io_same_file(const char *a, const char *b);

/* Reads a whole file of at most `limit` bytes. *out gets a block for free(), with a zero byte after
 * the content, and *size the content's length. NOT_FOUND when there is no such file, or a folder;
 * INVALID_DATA when it is a pipe or a device, which might never end. */
ToileStatus tl_io_read_file(const char *path, size_t limit, char **out, size_t *size,
                            ToileError *error);

/* A file being read piece by piece. */
typedef struct TlIoReader TlIoReader;

/* Opens a file and tells its size in bytes; refuses what tl_io_read_file refuses. */
ToileStatus tl_io_reader_open(const char *path, TlIoReader **out, int64_t *size, ToileError *error);
/* Copies `size` bytes from `offset` on; IO_ERROR when the file ends before. */
ToileStatus tl_io_reader_get(TlIoReader *reader, int64_t offset, void *data, size_t size,
                             ToileError *error);
/* NULL is allowed. */
void tl_io_reader_close(TlIoReader *reader);

/* `reference` as seen from the folder of `base_file`, in a block for free(); an absolute reference
 * is only copied. NULL when memory runs out. */
char *tl_io_path_beside(const char *base_file, const char *reference);

/* Whether a path ends so, in capitals or not; `ending` is in small letters. */
bool tl_io_has_ending(const char *path, const char *ending);

/* A name for unfinished work in the same folder, `<name>.<host>.<pid>.tmp`, in a block for free();
 * NULL when memory runs out. */
char *tl_io_temporary_path(const char *path);

/* Removes the temporary files for `path` that processes of this machine left which live no more.
 * With an ending such as ".obj", which `path` has: those of the numbered files `stem.*.obj`. */
void tl_io_remove_stale(const char *path, const char *numbered_ending);

/* Forces `temporary` to disk, then gives it the name `path` in one step. When that fails the
 * temporary file is removed. */
ToileStatus tl_io_publish(const char *temporary, const char *path, ToileError *error);

/* A file being written at any place, a temporary one for tl_io_publish. What is written goes to the
 * system at once, and to the disk soon. */
typedef struct TlIoFile TlIoFile;

/* NULL when it cannot be created; errno tells why. */
TlIoFile *tl_io_file_create(const char *path);
/* 0, or the errno of what went wrong. */
int tl_io_file_write(TlIoFile *file, int64_t offset, const void *data, size_t size);
/* The same; the handle is gone whatever happens. */
int tl_io_file_close(TlIoFile *file);

/* Removes a file; one that is not there is fine. */
void tl_io_remove(const char *path);

/* A file being written: under a temporary name until it is whole. */
typedef struct TlIoWriter TlIoWriter;

/* Opens a temporary file beside `path`; CANNOT_CREATE when the folder does not allow it, or when
 * `path` is itself a folder. */
ToileStatus tl_io_writer_open(const char *path, TlIoWriter **out, ToileError *error);
/* Appends. A failure is remembered and reported by tl_io_writer_commit. */
void tl_io_writer_add(TlIoWriter *writer, const void *data, size_t size);
/* Writes over `size` bytes from `offset` on, which were appended before; the next append goes to
 * the end again. A failure is remembered as above. */
void tl_io_writer_patch(TlIoWriter *writer, long offset, const void *data, size_t size);
/* Takes out `size` bytes at `offset`; what follows moves up. A failure is remembered as above. */
void tl_io_writer_cut(TlIoWriter *writer, int64_t offset, int64_t size);
/* OK, or the failure remembered so far; what lies in buffers may still fail later. */
ToileStatus tl_io_writer_check(const TlIoWriter *writer, ToileError *error);
/* Flushes, syncs and renames; frees the writer whatever happens. */
ToileStatus tl_io_writer_commit(TlIoWriter *writer, ToileError *error);
/* Removes the temporary file and frees the writer; NULL is allowed. */
void tl_io_writer_abandon(TlIoWriter *writer);

/* Puts `size` bytes under the name `path` in one step. */
ToileStatus tl_io_replace_file(const char *path, const void *data, size_t size, ToileError *error);

#endif
