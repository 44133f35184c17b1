/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* `toile info` of an Alembic archive. */
#ifndef TL_CLI_INFO_ARCHIVE_H
#define TL_CLI_INFO_ARCHIVE_H

#include "info_object.h"

/* Prints what an archive holds, for people or as JSON; answers an exit code, with a sentence when
 * it is not 0. */
int tl_info_archive(const char *path, bool json);

/* Names of what the reader knows by number. */
const char *tl_info_scope(abcc_scope scope);

/* Prints the uv sets and parameters of an object: lines that begin with `indent` spaces, or JSON
 * members that begin with a comma. */
void tl_info_text_params(abcc_reader *reader, abcc_obj obj, int indent);
void tl_info_json_params(abcc_reader *reader, abcc_obj obj);

#endif
