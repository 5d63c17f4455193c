/* harness.h - what a harness for kpred-evolve includes, by the name of kpred_evolve.h
   SPDX-License-Identifier: MIT

   A harness is C that kpred-evolve compiles. It says with which buffers and sizes a kernel is
   called, and which outputs are right:

       #include <kpred_evolve.h>

       typedef void saxpy(int n, float a, const float *x, float *y);

       static void set_up(struct ev_case *c)
       {
           const size_t n = (size_t)c->size[0];
           ev_fill(c, ev_buffer(c, "x", EV_IN, EV_F32, n));
           ev_fill(c, ev_buffer(c, "y", EV_INOUT, EV_F32, n));
       }

       static void call(const struct ev_case *c, ev_kernel *kernel)
       {
           ((saxpy *)kernel)((int)c->size[0], 2, c->at[0], c->at[1]);
       }

       static const struct ev_shape shapes[] = {
           {.size = {4096}, .seed = 1},
           {.size = {1009}, .seed = 2},
           {.size = {777}, .seed = 3, .held_out = 1, .special = 1},
       };

       EV_HARNESS(.set_up = set_up, .call = call, .sizes = "n", EV_SHAPES(shapes));

   Cases that are held out are not seen by the search: they decide what is accepted at its end. */
#ifndef KPRED_EVOLVE_H
#define KPRED_EVOLVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EV_VERSION     1
#define EV_MAX_SIZES   8
#define EV_MAX_BUFFERS 16
#define EV_MAX_SHAPES  16

typedef void ev_kernel(void); /* to be cast to the kernel's type */

enum ev_role {
    EV_IN,     /* the kernel reads it; a write ends the candidate */
    EV_OUT,    /* poisoned before the call, compared whole after it */
    EV_INOUT,  /* set up anew before each call, compared whole */
    EV_SCRATCH /* poisoned before the call, what is in it afterwards does not count */
};

enum ev_type { EV_F32, EV_F64, EV_I8, EV_I16, EV_I32, EV_I64, EV_N_TYPES };

struct ev_shape {
    int64_t size[EV_MAX_SIZES];
    uint64_t seed;
    int held_out; /* judged with, not searched with */
    int untimed;  /* its outputs count, its time does not */
    int special;  /* ev_fill mixes infinities, NaN, denormals and signed zeros in */
    int alias;    /* for the harness: buffers overlap as far as its kernel allows it */
};

struct ev_buffer {
    const char *name;
    enum ev_role role;
    enum ev_type type;
    size_t n;
    int same_as; /* an earlier buffer that this one lies in, or -1 */
    size_t from; /* its first element there */
};

struct ev_case {
    const char *label;
    int64_t size[EV_MAX_SIZES];
    int special, alias;
    uint64_t random; /* the state of ev_random; begins with the seed */
    size_t n_buffers;
    struct ev_buffer buffer[EV_MAX_BUFFERS];
    void *at[EV_MAX_BUFFERS]; /* where each is: during set_up, and during a call */
    void *(*allocate)(struct ev_case *c, size_t i); /* kpred-evolve's */
};

struct ev_harness {
    int version;
    const char
        *sizes; /* the names of size[], separated by blanks; a spec made of a search has them */
    const struct ev_shape *shapes;
    size_t n_shapes;
    void (*set_up)(struct ev_case *c);
    void (*call)(const struct ev_case *c, ev_kernel *kernel);
    /* NULL: the largest error of any element. Else the user's own: how far `got` is from `want`
       (each has a pointer for each buffer), 0 if it is as good; not finite if it is useless. It is
       not called in a sandbox, and `got` may hold anything. */
    double (*error)(const struct ev_case *c, void *const *want, void *const *got);
};

#define EV_HARNESS(...)                        \
    extern const struct ev_harness ev_harness; \
    const struct ev_harness ev_harness = {.version = EV_VERSION, __VA_ARGS__}
#define EV_SHAPES(array) .shapes = (array), .n_shapes = sizeof(array) / sizeof *(array)

static inline size_t ev_size_of(enum ev_type type)
{
    static const unsigned char bytes[EV_N_TYPES] = {4, 8, 1, 2, 4, 8};
    return bytes[type];
}

/* The next buffer, of n elements. In some calls it ends where its pages end, in others it begins
   where they begin: the process ends if it is left on that side. */
static inline size_t ev_buffer(struct ev_case *c, const char *name, enum ev_role role,
                               enum ev_type type, size_t n)
{
    const size_t i = c->n_buffers++;
    if (i < EV_MAX_BUFFERS) {
        const struct ev_buffer b = {name, role, type, n, -1, 0};
        c->buffer[i] = b;
        c->at[i] = c->allocate(c, i);
    }
    return i; /* kpred-evolve refuses a harness with too many */
}

/* The next buffer lies within an earlier one, from its element `from` on, and has its role and its
   type. If any of the two is written, the earlier one is EV_INOUT. */
static inline size_t ev_within(struct ev_case *c, const char *name, size_t earlier, size_t from,
                               size_t n)
{
    const size_t i = c->n_buffers++;
    if (i < EV_MAX_BUFFERS && earlier < i) {
        const struct ev_buffer b = {
            name, c->buffer[earlier].role, c->buffer[earlier].type, n, (int)earlier, from};
        c->buffer[i] = b;
        c->at[i] = c->allocate(c, i);
    }
    return i;
}

/* splitmix64 */
static inline uint64_t ev_random(struct ev_case *c)
{
    uint64_t z = (c->random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* least..most, less than most */
static inline double ev_uniform(struct ev_case *c, double least, double most)
{
    return least + (most - least) * ((double)(ev_random(c) >> 11) / 9007199254740992.0);
}

/* A value that kernels are seldom tried with */
static inline double ev_special(struct ev_case *c)
{
    static const double values[] = {0.0,      -0.0,   HUGE_VAL, -HUGE_VAL, 1e-40, -1e-42,
                                    1.0e-310, 3.4e38, -3.4e38,  1.0,       -1.0,  1e-30};
    const uint64_t i = ev_random(c) % (sizeof values / sizeof *values + 1);
    return i == sizeof values / sizeof *values ? (double)NAN : values[i];
}

static inline double ev_number(struct ev_case *c, double least, double most)
{
    return c->special && ev_random(c) % 8 == 0 ? ev_special(c) : ev_uniform(c, least, most);
}

/* Fills buffer i with numbers from least to most; integers are rounded down, and never special. */
static inline void ev_fill_between(struct ev_case *c, size_t i, double least, double most)
{
    if (i >= EV_MAX_BUFFERS || c->at[i] == NULL)
        return;
    for (size_t k = 0; k < c->buffer[i].n; k++)
        switch (c->buffer[i].type) {
        case EV_F32: ((float *)c->at[i])[k] = (float)ev_number(c, least, most); break;
        case EV_F64: ((double *)c->at[i])[k] = ev_number(c, least, most); break;
        case EV_I8: ((int8_t *)c->at[i])[k] = (int8_t)floor(ev_uniform(c, least, most)); break;
        case EV_I16: ((int16_t *)c->at[i])[k] = (int16_t)floor(ev_uniform(c, least, most)); break;
        case EV_I32: ((int32_t *)c->at[i])[k] = (int32_t)floor(ev_uniform(c, least, most)); break;
        case EV_I64: ((int64_t *)c->at[i])[k] = (int64_t)floor(ev_uniform(c, least, most)); break;
        default: break;
        }
}

/* Numbers from -1 to 1, integers from -100 to 99 */
static inline void ev_fill(struct ev_case *c, size_t i)
{
    const int is_real = i < EV_MAX_BUFFERS && c->buffer[i].type <= EV_F64;
    ev_fill_between(c, i, is_real ? -1 : -100, is_real ? 1 : 100);
}

#endif
