/* failures.c - what counts as a failure: in the place of a time, and in a column that tells of rows
   SPDX-License-Identifier: MIT */
#include "formats.h"
#include "table_forms.h"

#include "base/names.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- in the place of a time ---- */

static int is_one_of(const char *text, const char *const *words)
{
    while (*words != NULL && strcasecmp(text, *words) != 0)
        words++;
    return *words != NULL;
}

/* What stands where nothing is to be said */
static int is_nothing(const char *text)
{
    static const char *const words[] = {"",     "-",   "none", "null", "nan",
                                        "-nan", "n/a", "na",   "nil",  NULL};
    return is_one_of(text, words);
}

/* Tensile's and AITER's word for a wrong result */
static int is_minus_one(const char *text)
{
    char *end;
    return strtod(text, &end) + 1 == 0 && *end == '\0';
}

/* What tuners write in the place of a time: of a failure, or of a tuple that was never run */
int load_is_failure(const char *text)
{
    static const char *const words[] = {"failed",
                                        "error",
                                        "invalid",
                                        "timeout",
                                        "inf",
                                        "-inf",
                                        "infinity",
                                        "-infinity",
                                        "CompilationFailedConfig",
                                        "RuntimeFailedConfig",
                                        "InvalidConfig",
                                        NULL};
    return is_nothing(text) || is_one_of(text, words) || is_minus_one(text);
}

/* A finite number of at least 0 */
static int is_figure(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return strspn(text, "0123456789.eE+-") == strlen(text) && end != text && *end == '\0'
           && *out >= 0 && isfinite(*out);
}

int load_time_text(const char *text, double *out)
{
    if (load_is_failure(text))
        return 0;
    return is_figure(text, out) ? *out > 0 && *out < FAILED_TIME : -1;
}

int load_figure_text(const char *text, int is_speed, double *out)
{
    return is_figure(text, out) ? *out > 0 : is_speed && is_minus_one(text) ? 0 : -1;
}

/* What a failure left in the place of its time: it begins with a letter, of any language, or has no
   digit. A number with something behind it or before it, such as 1,5 or 12us, is a mistake. */
static int is_message(const char *text)
{
    const unsigned char first = (unsigned char)*text;
    return isalpha(first) || first > '~' || strpbrk(text, "0123456789") == NULL;
}

int load_table_time(const char *text, double *out)
{
    const int is_time = load_time_text(text, out);
    return is_time < 0 && is_message(text) ? 0 : is_time;
}

/* ---- cells of a column that tells which rows failed ---- */

static const char good_words[] =
    " ok okay pass passed success successful succeeded correct valid done good fine complete"
    " completed finished verified works worked match matches matched erfolg erfolgreich bestanden"
    " korrekt richtig succes reussi exito correcto successo riuscito sucesso ";
static const char bad_words[] =
    " error errors err fail failed fails failure failures incorrect wrong mismatch mismatched"
    " crash crashed oom timeout out segfault segmentation sigsegv sigabrt sigkill sigfpe sigbus"
    " fault invalid unsupported exception abort aborted killed nan bad hang hung illegal denied"
    " cannot unable not violation overflow fehler fehlgeschlagen falsch abgebrochen echec erreur"
    " fallo fallido errore erro falha ";
/* Names of libraries before their words, as in cudaSuccess */
static const char libraries[] = " cuda cu hip cl rocm ";

/* Words of other letters: is one of them in the cell? */
static int has_one_of(const char *cell, const char *const *words)
{
    while (*words != NULL && strstr(cell, *words) == NULL)
        words++;
    return *words != NULL;
}

/* The first word decides, unless a later one is bad; a number behind it is left to the user. */
static enum status_word word_of_text(const char *cell)
{
    static const char *const good[] = {"成功",   "успех", "успешно", "réussi",
                                       "succès", "éxito", NULL};
    static const char *const bad[] = {"失败", "失敗", "ошибка", "échec", NULL};
    char word[TABLE_WORD];
    size_t n = 0;
    int is_good = strcasecmp(cell, "no error") == 0 || strcasecmp(cell, "no errors") == 0;
    if (has_one_of(cell, bad) || has_one_of(cell, good) || is_good)
        return has_one_of(cell, bad) ? STATUS_BAD : STATUS_GOOD;
    for (const char *p = cell; column_word(&p, word) > 0;) {
        if (names_has_word(bad_words, word))
            return STATUS_BAD;
        n += !names_has_word(libraries, word);
        is_good |= n == 1 && names_has_word(good_words, word);
    }
    return is_good && strpbrk(cell, "0123456789?") == NULL ? STATUS_GOOD : STATUS_OTHER;
}

enum status_word status_word(const char *cell)
{
    static const char *const yes[] = {"true", "yes", "y", "t", "on", "ja", "oui", "si", NULL};
    static const char *const no[] = {"false", "no", "n", "f", "off", "nein", "non", NULL};
    char *end;
    const double x = strtod(cell, &end);
    if (is_nothing(cell))
        return STATUS_NOTHING;
    if (*end == '\0' && isfinite(x))
        return x > floor(x)     ? STATUS_FRACTION
               : x > 1 || x < 0 ? STATUS_NUMBER
               : x > 0          ? STATUS_ONE
                                : STATUS_ZERO;
    return is_one_of(cell, yes) ? STATUS_YES : is_one_of(cell, no) ? STATUS_NO : word_of_text(cell);
}

/* ---- names of such columns ---- */

/* What tells that a row worked, that it failed, and that it tells either */
static const char good_names[] =
    " ok okay isok pass passed success successful succeeded correct correctness valid validated"
    " verified verify verification works worked compiled compiles completed finished done accepted"
    " feasible legal runnable matches matched match allclose ";
static const char bad_names[] =
    " error errors err errs fail failed fails failure failures crash crashed crashes invalid"
    " incorrect wrong mismatch mismatches mismatched timeout timeouts timedout exitcode returncode"
    " retcode exit return rc ret retval signal sig exception exceptions oom segfault segfaults "
    "abort"
    " aborted killed hang hung nan nans bad illegal unsupported errno fault faults broken violation"
    " violations rejected ";
static const char either_names[] =
    " status state result results outcome verdict code validation validity"
    " check checked checks zustand ergebnis statut estado stato ";
/* What may stand beside these */
static const char beside_names[] =
    " is was has are num number n count counts of the total run running runtime compile compilation"
    " compiler build launch test tests kernel code codes exec execution cuda hip gpu opencl device"
    " host output numeric numerics numerical reference ref expected memory config value found "
    "final process child cmd command job flag type msg message text"
    " string reason info any ";
/* With one of these it is how wrong a result is; the last four are words of both lists. */
static const char amount_names[] =
    " max maximum min abs absolute rel relative mean avg average l sum"
    " ulp ulps ratio rate percent rms rmse mse mae ";
static const char difference_names[] = " diff difference deviation rms rmse mse mae ";
/* Alone these may well be parameters. */
static const char weak_names[] =
    " rc ret sig signal code check checks pass match return exit done err ";

static enum status_kind kind_of_word(const char *word)
{
    return names_has_word(good_names, word)         ? STATUS_NAME_GOOD
           : names_has_word(bad_names, word)        ? STATUS_NAME_BAD
           : names_has_word(difference_names, word) ? STATUS_NAME_AMOUNT
           : names_has_word(either_names, word)     ? STATUS_NAME_EITHER
                                                    : STATUS_NAME_NONE;
}

/* All words of the name have to be such ones. A `no` before the others turns them. */
enum status_kind status_name(const char *name, int *is_weak)
{
    char word[NAMES_FOLDED];
    enum status_kind found = STATUS_NAME_NONE;
    int is_amount = 0, is_turned = 0;
    names_fold(name, word);
    *is_weak = names_has_word(weak_names, word);
    if (kind_of_word(word) != STATUS_NAME_NONE && !names_has_word(difference_names, word))
        return kind_of_word(word);
    for (const char *p = name; column_word(&p, word) > 0;) {
        const enum status_kind kind = kind_of_word(word);
        const int is_no = strcmp(word, "no") == 0 || strcmp(word, "not") == 0;
        is_turned |= is_no && found == STATUS_NAME_NONE;
        is_amount |= names_has_word(amount_names, word);
        if (kind != STATUS_NAME_NONE)
            found = found == STATUS_NAME_NONE || found == STATUS_NAME_EITHER ? kind : found;
        else if (!is_no && !names_has_word(amount_names, word)
                 && !names_has_word(beside_names, word))
            return STATUS_NAME_NONE;
    }
    if (is_amount || found == STATUS_NAME_AMOUNT)
        return is_amount && (found == STATUS_NAME_BAD || found == STATUS_NAME_AMOUNT)
                   ? STATUS_NAME_AMOUNT
               : is_amount && found == STATUS_NAME_GOOD ? found
                                                        : STATUS_NAME_NONE;
    return !is_turned                  ? found
           : found == STATUS_NAME_GOOD ? STATUS_NAME_BAD
           : found == STATUS_NAME_BAD  ? STATUS_NAME_GOOD
                                       : found;
}
