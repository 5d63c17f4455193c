/* test_race.c - how often a selection finds the fastest, on a simulated device, beside other ways
   SPDX-License-Identifier: MIT

   usage: test_race [--table [--seeds N] [--launches N] [--sigma PERCENT] [FILE...]]

   FILE: a Tensile benchmark table, a shape a row, GFLOP/s of a kernel in each column from the 11th;
   without one, those of $TENSILE_CSV or tests/fixtures/gemm_rows.csv: of 12 shapes the 100 fastest
   kernels and 100 of the others, from AMD's benchmark runs in ROCm/Tensile (MIT licence). --table
   prints the figures of all ways to choose, and checks nothing.
   A selection takes ten kernels of a row, in random order, and scales their times to 20..2,000 us.
   A launch takes its kernel's time, times lognormal noise (1 %, or --sigma), times 1.3 to 2 for one
   launch in fifty, times a clock that drifts by 3 % over 500 launches or steps by 5 % once (in the
   first 104). Events are quantised to 0.5 us. Right is what lies within 1 %, or one quantum, of the
   best. */
#define KPRED_HIP_API_HEADER "hip/hip_standin.h"
#define KPRED_HIP_STATIC
#include "kpred_hip.h"

#include "harness/test.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>

enum { K = 10, LAUNCHES = 104, FULL_WARM = 2, FULL = 50, MAX_LAUNCHES = 10000 };
enum { MAX_ROWS = 256, MAX_COLUMNS = 16384 };
#define FEW_ROWS "tests/fixtures/gemm_rows.csv"

static struct options {
    int seeds, launches;
    double sigma; /* percent */
} options = {1000, LAUNCHES, 1};

/* ---- the tables ---- */

struct row {
    double *us;
    int n;
};
static struct row rows[MAX_ROWS];
static int n_rows;

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Times, unscaled, in ascending order */
static struct row parse_row(char *line)
{
    struct row row = {malloc(MAX_COLUMNS * sizeof *row.us), 0};
    char *word = strtok(line, ",");
    for (int column = 0; word && row.us && row.n < MAX_COLUMNS; column++, word = strtok(NULL, ","))
        if (column >= 10 && atof(word) > 0)
            row.us[row.n++] = 1 / atof(word);
    if (row.us)
        qsort(row.us, (size_t)row.n, sizeof *row.us, compare_doubles);
    return row;
}

/* bzip2 unpacks those that are packed. */
static void read_table(const char *name)
{
    static char line[1 << 22];
    char command[4096];
    const int is_packed = strstr(name, ".bz2") != NULL;
    snprintf(command, sizeof command, "bzip2 -dc '%s'", name);
    FILE *file = is_packed ? popen(command, "r") : fopen(name, "r");
    int header = 1;
    for (; file && fgets(line, sizeof line, file); header = 0) {
        struct row row = {NULL, 0};
        if (!header && n_rows < MAX_ROWS)
            row = parse_row(line);
        if (row.n >= K)
            rows[n_rows++] = row;
        else
            free(row.us);
    }
    if (!file || (is_packed ? pclose(file) : fclose(file)) != 0) {
        perror(name);
        exit(1);
    }
}

/* The tables of $TENSILE_CSV whose names begin so, and nothing else; how many rows that are */
static int read_tables(const char *begin)
{
    const char *folder = getenv("TENSILE_CSV") ? getenv("TENSILE_CSV") : "../shared/tensile";
    char pattern[4096];
    glob_t found;
    n_rows = 0;
    snprintf(pattern, sizeof pattern, "%s/%s*.csv.bz2", folder, begin);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            read_table(found.gl_pathv[i]);
        globfree(&found);
    }
    return n_rows;
}

/* ---- the device ---- */

static struct device {
    uint64_t seed;
    double us[K], best_us;
    int launches, step_at;
    double drift, step;
} device;

static double uniform(void)
{
    return (double)(test_random64(&device.seed) >> 11) / 9007199254740992.0;
}

static int below(int n)
{
    return (int)(test_random64(&device.seed) % (uint64_t)n);
}

static double normal(void)
{
    const double radius = sqrt(-2 * log(1 - uniform())), angle = uniform();
    return radius * cos(2 * 3.14159265358979323846 * angle);
}

static double launch_us(size_t i)
{
    const int now = device.launches++;
    double us = device.us[i] * exp(options.sigma / 100 * normal());
    if (uniform() < 0.02)
        us *= 1.3 + 0.7 * uniform();
    return us * (1 + device.drift * now) * (now >= device.step_at ? 1 + device.step : 1);
}

static hipError_t launch(void *user, const kpred_tuple *candidate, hipStream_t stream)
{
    (void)stream;
    return standin_launch(launch_us((size_t)(candidate - (const kpred_tuple *)user)));
}

/* The i-th of several numbers below n, none twice */
static int draw(int n, int i)
{
    static int drawn[K];
    int j;
    do {
        drawn[i] = below(n);
        for (j = 0; j < i && drawn[j] != drawn[i]; j++)
            ;
    } while (j < i);
    return drawn[i];
}

/* Ten kernels out of the fastest `pool` of a row (0: of all), and the state of the clock */
static void prepare(uint64_t seed, int pool)
{
    double least = 1e300, most = 0;
    device.seed = seed;
    const struct row *row = &rows[below(n_rows)];
    pool = pool && pool < row->n ? pool : row->n;
    for (int i = 0; i < K; i++)
        device.us[i] = row->us[draw(pool, i)];
    for (int i = 0; i < K; i++) {
        least = device.us[i] < least ? device.us[i] : least;
        most = device.us[i] > most ? device.us[i] : most;
    }
    double scale =
        most / least < 100 ? 20 * pow(100 * least / most, uniform()) / least : 20 / least;
    for (int i = 0; i < K; i++)
        device.us[i] = device.us[i] * scale < 2000 ? device.us[i] * scale : 2000;
    device.best_us = least * scale;
    int sign = uniform() < 0.5 ? -1 : 1;
    device.launches = 0;
    device.drift = device.step = 0;
    device.step_at = 1 << 30;
    if (uniform() < 0.5) {
        device.drift = sign * 0.03 / 500;
    } else {
        device.step = sign * 0.05;
        device.step_at = (int)(uniform() * LAUNCHES);
    }
    standin = standin_fresh;
    standin.quantum_us = 0.5;
}

/* ---- ways to choose: each returns the index ---- */

static size_t choose_race(void)
{
    static kpred_tuple candidates[K];
    static kpred_hip_timing timings[K];
    kpred_hip_plan plan = {0};
    kpred_hip_result result;
    plan.user = candidates;
    plan.launch = launch;
    plan.budget_us = 1e9;
    plan.max_launches = (uint32_t)options.launches;
    if (kpred_hip_select(&plan, candidates, K, timings, &result) != KPRED_HIP_OK)
        exit(1);
    return result.winner;
}

/* A launch between two events */
static double timed(size_t i)
{
    const double begin = floor(standin.now_us / 0.5) * 0.5;
    standin.now_us += launch_us(i);
    return floor(standin.now_us / 0.5) * 0.5 - begin;
}

/* One after the other, the median of `n` after `warm` */
static size_t choose_in_turn(int warm, int n)
{
    static double x[MAX_LAUNCHES];
    double least = 0;
    size_t best = 0;
    for (size_t i = 0; i < K; i++) {
        for (int j = 0; j < warm; j++)
            timed(i);
        for (int j = 0; j < n; j++)
            x[j] = timed(i);
        qsort(x, (size_t)n, sizeof *x, compare_doubles);
        if (i == 0 || (x[n / 2] + x[(n - 1) / 2]) / 2 < least) {
            least = (x[n / 2] + x[(n - 1) / 2]) / 2;
            best = i;
        }
    }
    return best;
}

static size_t choose_same_launches(void)
{
    return choose_in_turn(1, options.launches / K - 1);
}

static size_t choose_full(void)
{
    return choose_in_turn(FULL_WARM, FULL);
}

/* MIOpen's generic search: a probe; within 1.10 of the best so far nine more, whose mean counts */
static size_t choose_generic_search(void)
{
    double least = 0;
    size_t best = 0;
    int j;
    for (size_t i = 0; i < K; i++) {
        double us = timed(i);
        if (i > 0 && us >= 1.10 * least)
            continue;
        for (us = 0, j = 0; j < 9; j++)
            us += timed(i) / 9;
        if (i == 0 || us < least) {
            least = us;
            best = i;
        }
    }
    return best;
}

/* ---- the table ---- */

static const struct way {
    const char *name;
    size_t (*choose)(void);
} ways[] = {{"kpred_hip_select", choose_race},
            {"one after the other, median", choose_same_launches},
            {"MIOpen's generic search", choose_generic_search},
            {"2 + 50 of each, median", choose_full}};
static const struct pool {
    const char *name;
    int n;
} pools[] = {{"any ten of a row", 0}, {"ten of the best hundred", 100}, {"the best ten", 10}};
enum { WAYS = COUNT(ways), POOLS = COUNT(pools) };

struct score {
    int right;
    double launches, loss;
    int most;
};

static struct score try_out(const struct way *way, int pool)
{
    struct score s = {0, 0, 0, 0};
    for (int seed = 0; seed < options.seeds; seed++) {
        prepare((uint64_t)seed, pool);
        const double best = device.best_us, got = device.us[way->choose()];
        s.right += got <= 1.01 * best || got <= best + 0.5;
        s.loss += (got / best - 1) / options.seeds;
        s.launches += (double)device.launches / options.seeds;
        s.most = device.launches > s.most ? device.launches : s.most;
    }
    return s;
}

static void print_score(const char *pool, const char *way, struct score s)
{
    printf("%-23s  %-27s  %9d  %7.1f  %11.2f  %8.1f  %4d\n", pool, way, options.seeds,
           100.0 * s.right / options.seeds, 100 * s.loss, s.launches, s.most);
}

/* A whole number of at least `least`; else the program ends. */
static int number(const char *option, const char *text, int least)
{
    char *end;
    const long n = text ? strtol(text, &end, 10) : 0;
    if (!text || *end || n < least || n > MAX_LAUNCHES) {
        fprintf(stderr, "test_race: %s %s: not a number from %d to %d\n", option,
                text ? text : "(nothing)", least, MAX_LAUNCHES);
        exit(2);
    }
    return (int)n;
}

static void parse(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(argv[i], "--seeds"))
            options.seeds = number(argv[i], next, 1), i++;
        else if (!strcmp(argv[i], "--launches"))
            options.launches = number(argv[i], next, 2 * K), i++;
        else if (!strcmp(argv[i], "--sigma"))
            options.sigma = number(argv[i], next, 0), i++;
        else
            read_table(argv[i]);
    }
}

static int print_table(int argc, char **argv)
{
    parse(argc, argv);
    if (n_rows == 0 && read_tables("") == 0)
        read_table(FEW_ROWS);
    printf("candidates               way                          selections  "
           "right %%  mean loss %%  launches  most\n");
    for (int p = 0; p < POOLS; p++)
        for (int w = 0; w < WAYS; w++)
            print_score(pools[p].name, ways[w].name, try_out(&ways[w], pools[p].n));
    return 0;
}

/* ---- what it has to reach ---- */

/* With at most as many launches it is right in 95 %, and loses less than one after the other. */
static void check_rows(const char *data)
{
    for (int p = 0; p < POOLS; p++) {
        const struct score race = try_out(&ways[0], pools[p].n);
        const struct score in_turn = try_out(&ways[1], pools[p].n);
        print_score(pools[p].name, ways[0].name, race);
        print_score(pools[p].name, ways[1].name, in_turn);
        CASE(100 * race.right >= 95 * options.seeds && race.most <= LAUNCHES,
             "%s, %s: right in 95 %%", data, pools[p].name);
        CASE(race.loss < in_turn.loss, "%s, %s: less is lost than one after the other", data,
             pools[p].name);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--table"))
        return print_table(argc, argv);
    read_table(FEW_ROWS);
    check_rows("12 shapes");
    if (read_tables("mi100") > 0)
        check_rows("MI100");
    else
        printf("skip all shapes: needs $TENSILE_CSV\n"), test_now.skipped++;
    if (read_tables("vega20") > 0)
        check_rows("Vega20");
    return test_end();
}
