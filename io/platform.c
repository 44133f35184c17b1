/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Files by UTF-8 path on POSIX systems and on Windows. A file is replaced by writing a temporary
 * one in the same folder, forcing it to disk and renaming it: a reader sees the old content or the
 * new one, never a part. */
#if defined(__linux__)
#define _GNU_SOURCE
#elif !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "platform.h"

#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <direct.h>
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#define HOST_LENGTH 64
#define CHUNK ((size_t)1 << 16)

struct TlIoReader {
    FILE *file;
    char *path;
};

struct TlIoWriter {
    FILE *file;
    char *temporary;
    char *path;
    int failure; /* errno of the first failed write, or 0 */
};

struct TlIoFile {
    FILE *file;
    int64_t position; /* where the next byte goes without a seek */
    int64_t sent;     /* up to here the system was told to write */
};

/* ---- what differs between systems ---- */

#if defined(_WIN32)

static wchar_t *widen(const char *text) {
    int length = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *wide = length > 0 ? malloc((size_t)length * sizeof *wide) : NULL;
    if (wide)
        MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, length);
    return wide;
}

static FILE *open_file(const char *path, bool writing) {
    wchar_t *wide = widen(path);
    FILE *file = wide ? _wfopen(wide, writing ? L"w+b" : L"rb") : NULL;
    free(wide);
    return file;
}

bool tl_io_is_folder(const char *path) {
    wchar_t *wide = widen(path);
    DWORD attributes = wide ? GetFileAttributesW(wide) : INVALID_FILE_ATTRIBUTES;
    free(wide);
    return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

static bool is_plain(FILE *file) {
    return GetFileType((HANDLE)_get_osfhandle(_fileno(file))) == FILE_TYPE_DISK;
}

static bool identify(const char *path, BY_HANDLE_FILE_INFORMATION *info) {
    wchar_t *wide = widen(path);
    HANDLE handle = wide ? CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL,
                                       OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
                         : INVALID_HANDLE_VALUE;
    bool found = handle != INVALID_HANDLE_VALUE && GetFileInformationByHandle(handle, info);
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    free(wide);
    return found;
}

bool tl_io_same_file(const char *a, const char *b) {
    BY_HANDLE_FILE_INFORMATION of_a, of_b;
    return identify(a, &of_a) && identify(b, &of_b) &&
           of_a.dwVolumeSerialNumber == of_b.dwVolumeSerialNumber &&
           of_a.nFileIndexHigh == of_b.nFileIndexHigh && of_a.nFileIndexLow == of_b.nFileIndexLow;
}

static int go_to(FILE *file, int64_t offset, int from) {
    return _fseeki64(file, offset, from);
}

static int64_t where_in(FILE *file) {
    return _ftelli64(file);
}

static int shorten(FILE *file, int64_t size) {
    return fflush(file) == 0 ? _chsize_s(_fileno(file), size) : errno;
}

static void start_writing(FILE *file, int64_t offset, int64_t size) {
    (void)file;
    (void)offset;
    (void)size;
}

static int sync_file(const char *path) {
    wchar_t *wide = widen(path);
    HANDLE handle = wide ? CreateFileW(wide, GENERIC_WRITE, 0, NULL, OPEN_EXISTING, 0, NULL)
                         : INVALID_HANDLE_VALUE;
    int result = handle != INVALID_HANDLE_VALUE && FlushFileBuffers(handle) ? 0 : EIO;
    if (handle != INVALID_HANDLE_VALUE)
        CloseHandle(handle);
    free(wide);
    return result;
}

static int rename_file(const char *from, const char *to) {
    wchar_t *wide_from = widen(from);
    wchar_t *wide_to = widen(to);
    int result = EACCES;
    if (wide_from && wide_to &&
        MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
        result = 0;
    free(wide_from);
    free(wide_to);
    return result;
}

void tl_io_remove(const char *path) {
    wchar_t *wide = widen(path);
    if (wide)
        _wremove(wide);
    free(wide);
}

static void host_name(char *name, size_t size) {
    DWORD length = (DWORD)size;
    if (!GetComputerNameA(name, &length))
        snprintf(name, size, "host");
}

static long process_id(void) {
    return (long)_getpid();
}

static bool process_lives(long process) {
    HANDLE handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, (DWORD)process);
    DWORD code = STILL_ACTIVE;
    if (!handle)
        return GetLastError() != ERROR_INVALID_PARAMETER;
    GetExitCodeProcess(handle, &code);
    CloseHandle(handle);
    return code == STILL_ACTIVE;
}

static void list_folder(const char *folder, void (*visit)(void *, const char *), void *user) {
    WIN32_FIND_DATAW found;
    char name[3 * MAX_PATH + 1];
    size_t length = strlen(folder);
    char *pattern = malloc(length + 3);
    if (!pattern)
        return;
    memcpy(pattern, folder, length);
    memcpy(pattern + length, "/*", 3);
    wchar_t *wide = widen(pattern);
    HANDLE search = wide ? FindFirstFileW(wide, &found) : INVALID_HANDLE_VALUE;
    for (BOOL more = search != INVALID_HANDLE_VALUE; more; more = FindNextFileW(search, &found))
        if (WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, name, sizeof name, NULL, NULL) > 0)
            visit(user, name);
    if (search != INVALID_HANDLE_VALUE)
        FindClose(search);
    free(wide);
    free(pattern);
}

static bool is_separator(char c) {
    return c == '/' || c == '\\';
}

static bool is_absolute(const char *path) {
    return is_separator(path[0]) || (path[0] != '\0' && path[1] == ':');
}

#else

/* Reading must not wait for the other end of a pipe, which is told apart afterwards. */
static FILE *open_file(const char *path, bool writing) {
    if (writing)
        return fopen(path, "w+b");
    int descriptor = open(path, O_RDONLY | O_NONBLOCK);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (!file && descriptor >= 0)
        close(descriptor);
    return file;
}

bool tl_io_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_plain(FILE *file) {
    struct stat status;
    return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
}

bool tl_io_same_file(const char *a, const char *b) {
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static int go_to(FILE *file, int64_t offset, int from) {
    return fseeko(file, (off_t)offset, from);
}

static int64_t where_in(FILE *file) {
    return (int64_t)ftello(file);
}

static int shorten(FILE *file, int64_t size) {
    return fflush(file) == 0 && ftruncate(fileno(file), (off_t)size) == 0 ? 0 : errno;
}

/* Has the system begin to write a part of a file to disk, so that less is left to wait for. */
static void start_writing(FILE *file, int64_t offset, int64_t size) {
#if defined(__linux__)
    sync_file_range(fileno(file), offset, size, SYNC_FILE_RANGE_WRITE);
#else
    (void)file;
    (void)offset;
    (void)size;
#endif
}

static int sync_file(const char *path) {
    int descriptor = open(path, O_RDONLY);
    if (descriptor < 0)
        return errno;
    int result = fsync(descriptor) == 0 ? 0 : errno;
    close(descriptor);
    return result;
}

/* Makes a rename last: the folder itself must reach the disk. Not every file system can. */
static void sync_folder_of(const char *path) {
    char *folder = strdup(path);
    if (!folder)
        return;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    sync_file(slash ? folder : ".");
    free(folder);
}

static int rename_file(const char *from, const char *to) {
    if (rename(from, to) != 0)
        return errno;
    sync_folder_of(to);
    return 0;
}

void tl_io_remove(const char *path) {
    remove(path);
}

static void host_name(char *name, size_t size) {
    if (gethostname(name, size) != 0)
        snprintf(name, size, "host");
    name[size - 1] = '\0';
}

static long process_id(void) {
    return (long)getpid();
}

static bool process_lives(long process) {
    return kill((pid_t)process, 0) == 0 || errno != ESRCH;
}

static void list_folder(const char *folder, void (*visit)(void *, const char *), void *user) {
    DIR *list = opendir(folder);
    if (!list)
        return;
    for (const struct dirent *entry = readdir(list); entry; entry = readdir(list))
        visit(user, entry->d_name);
    closedir(list);
}

static bool is_separator(char c) {
    return c == '/';
}

static bool is_absolute(const char *path) {
    return is_separator(path[0]);
}

#endif

/* ---- reading ---- */

static ToileStatus cannot_read(const char *path, int code, ToileError *error) {
    if (code == ENOENT || code == ENOTDIR)
        return tl_io_fail(error, TOILE_STATUS_NOT_FOUND, "%s: there is no such file", path);
    return tl_io_fail(error, TOILE_STATUS_IO_ERROR, "%s: the file cannot be read: %s", path,
                      code ? strerror(code) : "unknown reason");
}

static ToileStatus is_a_folder(const char *path, ToileStatus status, ToileError *error) {
    return tl_io_fail(error, status, "%s: this is a folder; the name of a file is needed", path);
}

/* Opens a file for reading; folders, pipes and devices are refused. */
static ToileStatus open_input(const char *path, FILE **out, ToileError *error) {
    *out = NULL;
    if (tl_io_is_folder(path))
        return is_a_folder(path, TOILE_STATUS_NOT_FOUND, error);
    errno = 0;
    FILE *file = open_file(path, false);
    if (!file)
        return cannot_read(path, errno, error);
    if (is_plain(file)) {
        *out = file;
        return TOILE_STATUS_OK;
    }
    fclose(file);
    return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                      "%s: this is a pipe or a device, not a file; store what it gives in a file "
                      "first",
                      path);
}

/* Reads to the end in growing steps, so that a file that changes does no harm. */
static ToileStatus read_all(FILE *file, const char *path, size_t limit, char **out, size_t *size,
                            ToileError *error) {
    char *text = NULL;
    size_t used = 0;
    size_t capacity = 0;
    for (;;) {
        if (capacity - used < CHUNK) {
            capacity = capacity * 2 + CHUNK;
            char *larger = realloc(text, capacity + 1);
            if (!larger) {
                free(text);
                return tl_io_out_of_memory(error);
            }
            text = larger;
        }
        size_t got = fread(text + used, 1, capacity - used, file);
        used += got;
        if (used > limit || got == 0)
            break;
    }
    if (used > limit) {
        free(text);
        return tl_io_fail(error, TOILE_STATUS_INVALID_DATA,
                          "%s: the file is larger than the %zu bytes that are allowed", path,
                          limit);
    }
    if (ferror(file)) {
        free(text);
        return cannot_read(path, errno, error);
    }
    text[used] = '\0';
    *out = text;
    *size = used;
    return TOILE_STATUS_OK;
}

ToileStatus tl_io_read_file(const char *path, size_t limit, char **out, size_t *size,
                            ToileError *error) {
    FILE *file = NULL;
    *out = NULL;
    *size = 0;
    ToileStatus status = open_input(path, &file, error);
    if (status != TOILE_STATUS_OK)
        return status;
    status = read_all(file, path, limit, out, size, error);
    fclose(file);
    return status;
}

ToileStatus tl_io_reader_open(const char *path, TlIoReader **out, int64_t *size,
                              ToileError *error) {
    *out = NULL;
    *size = 0;
    TlIoReader *reader = calloc(1, sizeof *reader);
    char *copy = tl_io_path_beside("", path);
    if (!reader || !copy) {
        free(reader);
        free(copy);
        return tl_io_out_of_memory(error);
    }
    reader->path = copy;
    ToileStatus status = open_input(path, &reader->file, error);
    if (status == TOILE_STATUS_OK &&
        (go_to(reader->file, 0, SEEK_END) != 0 || (*size = where_in(reader->file)) < 0))
        status = cannot_read(path, errno, error);
    if (status == TOILE_STATUS_OK)
        *out = reader;
    else
        tl_io_reader_close(reader);
    return status;
}

ToileStatus tl_io_reader_get(TlIoReader *reader, int64_t offset, void *data, size_t size,
                             ToileError *error) {
    errno = 0;
    if (go_to(reader->file, offset, SEEK_SET) != 0)
        return cannot_read(reader->path, errno, error);
    if (fread(data, 1, size, reader->file) == size)
        return TOILE_STATUS_OK;
    if (ferror(reader->file))
        return cannot_read(reader->path, errno, error);
    return tl_io_fail(error, TOILE_STATUS_IO_ERROR, "%s: the file ends too early", reader->path);
}

void tl_io_reader_close(TlIoReader *reader) {
    if (!reader)
        return;
    if (reader->file)
        fclose(reader->file);
    free(reader->path);
    free(reader);
}

/* ---- paths ---- */

static const char *last_part(const char *path) {
    const char *name = path;
    for (const char *c = path; *c; c++)
        if (is_separator(*c))
            name = c + 1;
    return name;
}

char *tl_io_path_beside(const char *base_file, const char *reference) {
    size_t folder = is_absolute(reference) ? 0 : (size_t)(last_part(base_file) - base_file);
    size_t length = strlen(reference);
    char *path = malloc(folder + length + 1);
    if (!path)
        return NULL;
    memcpy(path, base_file, folder);
    memcpy(path + folder, reference, length + 1);
    return path;
}

bool tl_io_has_ending(const char *path, const char *ending) {
    size_t length = strlen(path);
    size_t tail = strlen(ending);
    if (length < tail)
        return false;
    for (size_t i = 0; i < tail; i++) {
        char c = path[length - tail + i];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != ending[i])
            return false;
    }
    return true;
}

/* The name of this machine as it stands in temporary names. */
static void plain_host_name(char host[HOST_LENGTH]) {
    host[0] = '\0';
    host_name(host, HOST_LENGTH);
    for (char *c = host; *c; c++)
        if (!strchr("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.", *c))
            *c = '_';
}

char *tl_io_temporary_path(const char *path) {
    char host[HOST_LENGTH];
    plain_host_name(host);
    size_t size = strlen(path) + sizeof host + 32;
    char *temporary = malloc(size);
    if (temporary)
        snprintf(temporary, size, "%s.%s.%ld.tmp", path, host, process_id());
    return temporary;
}

/* ---- temporary files of processes that were killed ---- */

/* What a name in a folder must be to be such a file: begin, anything, end, PID and .tmp. */
typedef struct Stale {
    const char *folder; /* with its separator, or empty */
    size_t folder_length;
    const char *begin;
    size_t begin_length;
    const char *end;
    bool numbered; /* something must stand between begin and end, else nothing may */
} Stale;

/* The process whose number stands at the end of `name`, before .tmp; 0: none, it is no such name.
 */
static long stale_process(const Stale *stale, const char *name) {
    static const char suffix[] = ".tmp";
    size_t length = strlen(name), end = strlen(stale->end), digits = 0;
    long number = 0, place = 1;
    if (length < sizeof suffix || strcmp(name + length - 4, suffix) != 0)
        return 0;
    length -= 4;
    while (length > 0 && digits < 9 && name[length - 1] >= '0' && name[length - 1] <= '9') {
        number += place * (name[--length] - '0');
        place *= 10;
        digits++;
    }
    if (digits == 0 || length < stale->begin_length + end ||
        strncmp(name, stale->begin, stale->begin_length) != 0 ||
        strncmp(name + length - end, stale->end, end) != 0)
        return 0;
    return (length > stale->begin_length + end) == stale->numbered ? number : 0;
}

static void remove_if_stale(void *user, const char *name) {
    const Stale *stale = user;
    long process = stale_process(stale, name);
    if (process <= 0 || process_lives(process))
        return;
    size_t length = strlen(name);
    char *path = malloc(stale->folder_length + length + 1);
    if (!path)
        return;
    memcpy(path, stale->folder, stale->folder_length);
    memcpy(path + stale->folder_length, name, length + 1);
    tl_io_remove(path);
    free(path);
}

void tl_io_remove_stale(const char *path, const char *numbered_ending) {
    char host[HOST_LENGTH], end[HOST_LENGTH + 16];
    const char *name = last_part(path);
    size_t cut = numbered_ending ? strlen(numbered_ending) - 1 : 0;
    Stale stale = {.folder = path,
                   .folder_length = (size_t)(name - path),
                   .begin = name,
                   .end = end,
                   .numbered = numbered_ending != NULL};
    stale.begin_length = strlen(name) > cut ? strlen(name) - cut : 0;
    plain_host_name(host);
    snprintf(end, sizeof end, "%s.%s.", numbered_ending ? numbered_ending : "", host);
    char *folder = tl_io_path_beside(path, ".");
    if (folder)
        list_folder(folder, remove_if_stale, &stale);
    free(folder);
}

/* ---- writing ---- */

static ToileStatus cannot_write(const char *path, int code, ToileError *error) {
    return tl_io_fail(error, TOILE_STATUS_IO_ERROR, "%s: the file cannot be written: %s", path,
                      code ? strerror(code) : "unknown reason");
}

ToileStatus tl_io_publish(const char *temporary, const char *path, ToileError *error) {
    int code = sync_file(temporary);
    if (code == 0)
        code = rename_file(temporary, path);
    if (code == 0)
        return TOILE_STATUS_OK;
    tl_io_remove(temporary);
    return cannot_write(path, code, error);
}

/* ---- files written at any place ---- */

#define SEND_SIZE ((int64_t)4 << 20)

TlIoFile *tl_io_file_create(const char *path) {
    TlIoFile *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->file = open_file(path, true);
    if (file->file) {
        setvbuf(file->file, NULL, _IONBF, 0);
        return file;
    }
    int code = errno;
    free(file);
    errno = code;
    return NULL;
}

int tl_io_file_write(TlIoFile *file, int64_t offset, const void *data, size_t size) {
    errno = 0;
    if (offset != file->position && go_to(file->file, offset, SEEK_SET) != 0)
        return errno ? errno : EIO;
    file->position = -1;
    if (fwrite(data, 1, size, file->file) != size)
        return errno ? errno : EIO;
    file->position = offset + (int64_t)size;
    if (file->position - file->sent >= SEND_SIZE) {
        start_writing(file->file, file->sent, file->position - file->sent);
        file->sent = file->position;
    }
    return 0;
}

int tl_io_file_close(TlIoFile *file) {
    errno = 0;
    int code = fclose(file->file) == 0 ? 0 : errno ? errno : EIO;
    free(file);
    return code;
}

static void free_writer(TlIoWriter *writer) {
    free(writer->temporary);
    free(writer->path);
    free(writer);
}

ToileStatus tl_io_writer_open(const char *path, TlIoWriter **out, ToileError *error) {
    *out = NULL;
    if (tl_io_is_folder(path))
        return is_a_folder(path, TOILE_STATUS_CANNOT_CREATE, error);
    TlIoWriter *writer = calloc(1, sizeof *writer);
    if (!writer)
        return tl_io_out_of_memory(error);
    writer->temporary = tl_io_temporary_path(path);
    writer->path = tl_io_path_beside("", path);
    if (!writer->temporary || !writer->path) {
        free_writer(writer);
        return tl_io_out_of_memory(error);
    }
    errno = 0;
    writer->file = open_file(writer->temporary, true);
    if (!writer->file) {
        int code = errno;
        free_writer(writer);
        return tl_io_fail(error, TOILE_STATUS_CANNOT_CREATE,
                          "%s: the file cannot be created: %s; see that the folder exists and may "
                          "be written to",
                          path, code ? strerror(code) : "unknown reason");
    }
    *out = writer;
    return TOILE_STATUS_OK;
}

void tl_io_writer_add(TlIoWriter *writer, const void *data, size_t size) {
    errno = 0;
    if (size > 0 && !writer->failure && fwrite(data, 1, size, writer->file) != size)
        writer->failure = errno ? errno : EIO;
}

void tl_io_writer_patch(TlIoWriter *writer, long offset, const void *data, size_t size) {
    errno = 0;
    if (!writer->failure &&
        (fseek(writer->file, offset, SEEK_SET) != 0 ||
         fwrite(data, 1, size, writer->file) != size || fseek(writer->file, 0, SEEK_END) != 0))
        writer->failure = errno ? errno : EIO;
}

/* Copies `size` bytes within the file to a place before them. */
static bool move_up(FILE *file, int64_t from, int64_t to, int64_t size) {
    char bytes[CHUNK];
    for (int64_t done = 0; done < size;) {
        size_t part = size - done < (int64_t)CHUNK ? (size_t)(size - done) : CHUNK;
        if (go_to(file, from + done, SEEK_SET) != 0 || fread(bytes, 1, part, file) != part ||
            go_to(file, to + done, SEEK_SET) != 0 || fwrite(bytes, 1, part, file) != part)
            return false;
        done += (int64_t)part;
    }
    return true;
}

void tl_io_writer_cut(TlIoWriter *writer, int64_t offset, int64_t size) {
    FILE *file = writer->file;
    if (writer->failure)
        return;
    errno = 0;
    int64_t end = go_to(file, 0, SEEK_END) == 0 ? where_in(file) : -1;
    if (end < offset + size || !move_up(file, offset + size, offset, end - offset - size) ||
        shorten(file, end - size) != 0 || go_to(file, 0, SEEK_END) != 0)
        writer->failure = errno ? errno : EIO;
}

ToileStatus tl_io_writer_check(const TlIoWriter *writer, ToileError *error) {
    return writer->failure ? cannot_write(writer->path, writer->failure, error) : TOILE_STATUS_OK;
}

ToileStatus tl_io_writer_commit(TlIoWriter *writer, ToileError *error) {
    errno = 0;
    if (fclose(writer->file) != 0 && !writer->failure)
        writer->failure = errno ? errno : EIO;
    ToileStatus status = TOILE_STATUS_OK;
    if (writer->failure) {
        tl_io_remove(writer->temporary);
        status = cannot_write(writer->path, writer->failure, error);
    } else {
        status = tl_io_publish(writer->temporary, writer->path, error);
    }
    free_writer(writer);
    return status;
}

void tl_io_writer_abandon(TlIoWriter *writer) {
    if (!writer)
        return;
    fclose(writer->file);
    tl_io_remove(writer->temporary);
    free_writer(writer);
}

ToileStatus tl_io_replace_file(const char *path, const void *data, size_t size, ToileError *error) {
    TlIoWriter *writer = NULL;
    ToileStatus status = tl_io_writer_open(path, &writer, error);
    if (status != TOILE_STATUS_OK)
        return status;
    tl_io_writer_add(writer, data, size);
    return tl_io_writer_commit(writer, error);
}
