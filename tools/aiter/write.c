/* write.c - see write.h
   SPDX-License-Identifier: MIT */
#include "write.h"

#include "tuned.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const char candidates[] =
    "gfx,cu_num,M,N,K,rank,libtype,kernelId,splitK,kernelName,probability";

/* ---- rows ---- */

static int has_libtype(enum family_id family, enum write_schema schema)
{
    return families[family].has_libtype && schema < SCHEMA_NO_LIBTYPE;
}

static void write_header(FILE *f, enum family_id family, enum write_schema schema)
{
    fprintf(f, "%scu_num,M,N,K,%skernelId,splitK,us,kernelName%s\n",
            schema < SCHEMA_NO_GFX ? "gfx," : "", has_libtype(family, schema) ? "libtype," : "",
            schema < SCHEMA_NO_TFLOPS ? ",tflops,bw,errRatio" : "");
}

/* kernelId is not read again but for opus; a kernel that has no number in the GPU's list gets 0. */
static int32_t id_of(const struct row *r)
{
    return r->best.id >= 0 ? r->best.id : 0;
}

static void write_row(FILE *f, const struct row *r, enum family_id family, const struct target *t,
                      enum write_schema schema)
{
    if (schema < SCHEMA_NO_GFX)
        fprintf(f, "%s,", t->gfx);
    fprintf(f, "%d,%" PRId32 ",%" PRId32 ",%" PRId32 ",", t->cu_num, r->m, r->n, r->k);
    if (has_libtype(family, schema))
        fprintf(f, "%s,", r->best.library);
    fprintf(f, "%" PRId32 ",%" PRId32 ",999999.0,%s%s\n", id_of(r), r->best.split, r->best.kernel,
            schema < SCHEMA_NO_TFLOPS ? ",0.0,0.0,0.0" : "");
}

static void write_candidate(FILE *f, const struct row *r, const struct target *t)
{
    fprintf(f, "%s,%d,%" PRId32 ",%" PRId32 ",%" PRId32 ",%zu,%s,%" PRId32 ",%" PRId32 ",%s,%.6f\n",
            t->gfx, t->cu_num, r->m, r->n, r->k, r->rank, r->best.library, id_of(r), r->best.split,
            r->best.kernel, kpred_probability(r->best.score) / 16777216.0);
}

void write_rows(FILE *f, const struct rows_family *rows, enum family_id family,
                const struct target *t, enum write_schema schema)
{
    if (schema == SCHEMA_CANDIDATES)
        fprintf(f, "%s\n", candidates);
    else
        write_header(f, family, schema);
    for (size_t i = 0; i < rows->n; i++) {
        if (schema == SCHEMA_CANDIDATES)
            write_candidate(f, &rows->v[i], t);
        else
            write_row(f, &rows->v[i], family, t, schema);
    }
}

/* ---- what is there ---- */

static int check_row(void *to, const struct tuned_row *row)
{
    (void)to;
    if (tuned_is_predicted(row->us))
        return 0;
    return fail("%s:%ld: us: value \"%s\": the file holds measured rows; --force replaces it, and "
                "they are lost",
                row->path, row->line, row->us);
}

static int check_candidates(const char *path)
{
    char line[sizeof candidates + 2];
    if (first_line(path, line, sizeof line) != 0)
        return -1;
    if (strcmp(line, candidates) == 0)
        return 0;
    return fail("%s:1: \"%.60s\": the file is no list of candidates; --force replaces it", path,
                line);
}

int write_check_old(const char *path, enum family_id family, enum write_schema schema)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return 0;
    if (schema == SCHEMA_CANDIDATES)
        return check_candidates(path);
    if (tuned_read(path, family, check_row, NULL) == 0)
        return 0;
    return -1;
}
