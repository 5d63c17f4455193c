/* inputs.c - the names of configuration files that a command line and servers' logs tell of
   SPDX-License-Identifier: MIT */
#include "triton.h"

#include <stdlib.h>
#include <string.h>

/* ---- a name ---- */

/* vLLM's readers of MoE files take every GPU of the H200 family as this one. */
static const char h200[] = "NVIDIA_H200";

static int has_word(const char *name, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = name; *p != '\0'; p += strcspn(p, "_"), p += *p == '_')
        if (strncmp(p, word, n) == 0 && (p[n] == '\0' || p[n] == '_'))
            return 1;
    return 0;
}

int triton_device_set(struct triton_name *name, const char *gpu)
{
    if (strlen(gpu) >= sizeof name->device || strpbrk(gpu, ",/") != NULL || *gpu == '\0')
        return fail("--gpu: value \"%s\": is not a name of a device as torch writes it", gpu);
    strcpy(name->device, gpu);
    for (char *p = name->device; *p != '\0'; p++)
        *p = *p == ' ' ? '_' : *p;
    if (name->server == TRITON_VLLM && name->kernel == TRITON_MOE && has_word(name->device, "H200"))
        strcpy(name->device, h200);
    return 0;
}

void triton_version_of(char out[TRITON_VERSION_SIZE], const char *version, const char *path)
{
    static const char folder[] = "triton_";
    const char *text = "";
    size_t n = 0;
    for (const char *p = path; (p = strstr(p, folder)) != NULL;) {
        const char *digit = p + sizeof folder - 1, *end = digit + strcspn(digit, "/");
        if ((p == path || p[-1] == '/') && *end == '/' && *digit >= '0' && *digit <= '9') {
            text = digit;
            n = (size_t)(end - digit);
        }
        p = digit;
    }
    if (version != NULL) {
        text = version;
        n = strlen(version);
    }
    snprintf(out, TRITON_VERSION_SIZE, "%.*s", (int)n, text);
    for (char *p = out; *p != '\0'; p++)
        *p = *p == '.' ? '_' : *p;
}

/* Does vLLM look for files of such names? Of the block GEMM its reader asks for FP8 alone. */
static int is_of_vllm(const struct triton_name *name)
{
    return name->kernel == TRITON_BLOCK_GEMM ? strcmp(name->dtype, "fp8_w8a8") == 0
                                             : name->kernel == TRITON_MOE && !name->per_channel;
}

/* ---- names ---- */

/* Kept once: --gpu and --server may make one name of several. Was it kept now? */
static int inputs_keep(struct missed *m, const struct missed_name *name)
{
    struct buf key = {NULL, 0, 0};
    const size_t before = m->seen.n;
    buf_printf(&key, "%d|%s|", name->name.server, name->version);
    triton_name_write(&name->name, &key);
    intern(&m->seen, key.s, key.n);
    buf_free(&key);
    if (m->seen.n == before)
        return 0;
    m->v = xgrow(m->v, m->n, &m->cap, sizeof *m->v);
    m->v[m->n++] = *name;
    return 1;
}

static const char *asked_gpu(const struct missed *m)
{
    return m->from.asked != NULL ? m->from.asked : m->from.gpu;
}

static void note_other(struct missed_other *other, long value, struct place at)
{
    if (other->at.line == 0)
        *other = (struct missed_other){at, value};
}

/* The server that is known: by --server, by the name and its folders, or by the words around it.
   What a line of a log says of it and of the GPU, beside what the command line says, is kept. */
static enum triton_server find_server(struct missed *m, const struct missed_name *name, int told)
{
    const char *gpu = asked_gpu(m);
    const int asked = m->from.server;
    const int server = name->name.server != TRITON_N_SERVERS ? (int)name->name.server : told;
    if (gpu != NULL && name->at.line != 0)
        gpu_told(&m->told, gpu_is_device(name->name.device, gpu), 1, name->name.device, name->at);
    if (asked == TRITON_N_SERVERS)
        return (enum triton_server)server;
    if (server != TRITON_N_SERVERS && server != asked && name->at.line != 0)
        note_other(&m->server, server, name->at);
    return (enum triton_server)asked;
}

/* A path as a server or a user writes it; `told` is the server that the words around it tell. 0; 1
   with a reason in `why`; or -1 with a message. */
static int inputs_add(struct missed *m, struct place at, const char *path, int told,
                      struct buf *why)
{
    struct missed_name missed = {.at = at};
    struct triton_name *name = &missed.name;
    if (triton_name_parse(name, path, why) != 0)
        return 1;
    name->server = find_server(m, &missed, told);
    const int guessed = name->server == TRITON_N_SERVERS;
    if (guessed)
        name->server = TRITON_VLLM;
    if (name->server == TRITON_VLLM && !is_of_vllm(name)) {
        buf_puts(why, "vLLM looks for no such file; it is one of SGLang's");
        return 1;
    }
    if (m->from.gpu != NULL && triton_device_set(name, m->from.gpu) != 0)
        return -1;
    triton_version_of(missed.version, m->from.version, path);
    if (inputs_keep(m, &missed))
        m->guessed += (size_t)guessed;
    return 0;
}

/* ---- logs ---- */

/* The server whose words a line has */
static int server_of(const char *line)
{
    static const char *const sglang[] = {"MoE kernel config", "Down MoE config",
                                         "Fallback to triton version"};
    for (size_t i = 0; i < sizeof sglang / sizeof *sglang; i++)
        if (strstr(line, sglang[i]) != NULL)
            return TRITON_SGLANG;
    return strstr(line, "default MoE config") != NULL ? TRITON_VLLM : TRITON_N_SERVERS;
}

/* The first path of a message, which may list a second one with the same name; NULL: it is cut off,
   or another message runs into it. */
static char *path_at(const char *text)
{
    static const char end[] = ".json";
    const char *stop = strstr(text, end);
    struct buf b = {NULL, 0, 0};
    if (stop == NULL)
        return NULL;
    buf_add(&b, text, (size_t)(stop - text) + sizeof end - 1);
    if (strstr(b.s, "not found at ") == NULL)
        return b.s;
    buf_free(&b);
    return NULL;
}

/* A line that cannot be used is nobody's to mend: it is counted. */
static int read_path(struct missed *m, const struct log_line *line, const char *text)
{
    const struct place at = {line->path, line->number};
    struct buf why = {NULL, 0, 0};
    char *path = path_at(text);
    const char *base = path != NULL ? base_name(path) : "";
    int rc = 1;
    m->calls++;
    if (path == NULL)
        buf_puts(&why, "begins like one of a missing file and is cut off");
    else if ((*base != 'E' && *base != 'N') || base[1] != '=')
        buf_printf(&why, "\"%.60s\": is not the name of a file of configurations", base);
    else
        rc = inputs_add(m, at, path, server_of(line->text), &why);
    if (rc > 0)
        tally_add(&m->cut, at, why.s);
    buf_free(&why);
    free(path);
    return rc < 0 ? rc : 0;
}

/* tensor_parallel_size=8, 'tp_size': 8, --tensor-parallel-size 8 */
static void compare_tp(struct missed *m, const char *line, struct place at)
{
    static const char *const names[] = {"tensor_parallel_size", "tensor-parallel-size", "tp_size",
                                        "tp-size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *p = strstr(line, names[i]);
        if (p == NULL)
            continue;
        p += strlen(names[i]);
        const long tp = strtol(p + strspn(p, "\"': ="), NULL, 10);
        m->has_tp |= tp > 0;
        if (m->from.tp != 0 && tp > 0 && tp != m->from.tp)
            note_other(&m->tp, tp, at);
    }
}

static int read_line(struct missed *m, const struct log_line *line)
{
    static const char missing[] = "onfig file not found at ";
    const struct place at = {line->path, line->number};
    int rc = 0;
    if (asked_gpu(m) != NULL)
        gpu_told_line(&m->told, asked_gpu(m), line->text, at);
    compare_tp(m, line->text, at);
    if (line->is_cut)
        tally_add(&m->cut, at, "longer than this program reads");
    for (const char *p = line->text; rc == 0 && (p = strstr(p, missing)) != NULL;) {
        p += sizeof missing - 1;
        rc = read_path(m, line, p);
    }
    m->of_aiter += strstr(line->text, ", not found tuned config in ") != NULL
                   || strstr(line->text, "stage default for (") != NULL;
    return rc;
}

static int read_log(struct missed *m, const char *path)
{
    struct log_line line;
    int rc;
    if (log_line_open(&line, path) != 0)
        return -1;
    while ((rc = log_line_read(&line)) > 0 && (rc = read_line(m, &line)) == 0)
        ;
    return log_line_end(&line, rc, &m->lines);
}

/* ---- inputs ---- */

static int read_input(struct missed *m, const char *input)
{
    const struct place at = {input, 0};
    struct buf why = {NULL, 0, 0};
    if (!ends_with(input, ".json"))
        return read_log(m, input);
    m->calls++;
    int rc = inputs_add(m, at, input, TRITON_N_SERVERS, &why);
    if (rc > 0)
        rc = fail("%s: %s", input, why.s);
    buf_free(&why);
    return rc;
}

/* For SGLang's folder and for vLLM's member: 3.5.1, 3.5.1+git1234 */
int triton_version_check(const char *version)
{
    static const char most[] = "0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ._+-";
    if (version == NULL)
        return 0;
    if (*version >= '0' && *version <= '9' && strlen(version) < TRITON_VERSION_SIZE
        && version[strspn(version, most)] == '\0')
        return 0;
    return fail("--triton: value \"%.60s\": is not a version, such as 3.5.1", version);
}

/* Of the server and of the GPUs that share a layer: 0, or -1 with a message */
static int check_others(const struct missed *m)
{
    const struct place *server = &m->server.at, *tp = &m->tp.at;
    if (server->line != 0 && !m->from.force)
        return fail("%s:%zu: the log is of %s, and --server says %s; --force goes on with --server",
                    server->path, server->line, triton_servers[m->server.value],
                    triton_servers[m->from.server]);
    if (tp->line != 0 && !m->from.force)
        return fail(
            "%s:%zu: the log says %ld GPUs share a layer, and --tp says %ld; --force goes on",
            tp->path, tp->line, m->tp.value, m->from.tp);
    if (m->from.tp != 0 && !m->has_tp && !m->from.force)
        return fail("--tp: value \"%ld\": no line of the log says how many GPUs share a layer, and "
                    "the names of files are taken as they are; --force goes on",
                    m->from.tp);
    return gpu_told_check(&m->told, asked_gpu(m), m->from.force);
}

int missed_read(struct missed *m, const struct opt_texts *inputs)
{
    if (triton_version_check(m->from.version) != 0)
        return -1;
    if (inputs->n == 0 && read_log(m, "-") != 0)
        return -1;
    for (size_t i = 0; i < inputs->n; i++)
        if (read_input(m, inputs->v[i]) != 0)
            return -1;
    if (m->guessed != 0)
        note("%zu name%s not say whether vLLM or SGLang looks for the file: taken as vLLM's; "
             "--server says another",
             m->guessed, as_counted(m->guessed, " does", "s do"));
    const char *called = log_line_called(inputs->v, inputs->n);
    if (!m->from.may_lack && m->calls == 0 && m->of_aiter != 0)
        return fail("%s: no line tells of a missing file of Triton's, and %zu of AITER's tables: "
                    "`kpred serve --aiter` or `kpred aiter` answers them",
                    called, m->of_aiter);
    if (!m->from.may_lack && m->calls == 0)
        return fail("%s: no line holds \"Config file not found at\" as vLLM and SGLang log it: "
                    "there is nothing to write",
                    called);
    if (!m->from.may_lack && m->n == 0)
        return tally_fail(called, "write", &m->cut, NULL);
    return check_others(m);
}

void missed_free(struct missed *m)
{
    intern_free(&m->seen);
    tally_free(&m->cut);
    free(m->v);
    memset(m, 0, sizeof *m);
}
