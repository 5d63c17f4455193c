/* check_kernel.c - `kpred-evolve check`: does the harness run, and which baseline is the fastest?
   SPDX-License-Identifier: MIT */
#include "evolve_commands.h"

#include "kernel_options.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

static const char head[] =
    "usage: kpred-evolve check KERNEL HARNESS.c --function NAME [--cflags=TEXT] [--oracle WHAT]\n"
    "                          [--baseline NAME] [--jobs N] [--timeout MS] [--memory MB]\n"
    "                          [--seed N] [--csv|--json]\n"
    "\n"
    "Compiles the kernel and the harness, runs every case with the unmodified kernel, and "
    "compares\n"
    "the baselines.\n"
    "\n";
static const char tail[] =
    "  --csv              as CSV, columns baseline,instructions,case,held_out,us: the lower\n"
    "                     quartile of the case's time in microseconds\n"
    "  --json             as JSON, an array of objects with the same names\n";

static void add_row(struct table *t, const char *baseline, size_t instructions,
                    const struct trial_case *c, double us)
{
    table_text(t, baseline);
    table_number(t, "%zu", instructions);
    table_text(t, c->label);
    table_text(t, c->held_out ? "yes" : "no");
    if (us > 0)
        table_number(t, "%.3f", us);
    else
        table_text(t, "");
}

/* The timed cases of every baseline that was compared */
static void add_compared(struct table *t, const struct session *s)
{
    for (size_t b = 0; b < IR_BASELINES && s->sizes[b] > 0; b++)
        for (size_t i = 0; i < trial_cases(s->trial); i++) {
            const struct trial_case c = trial_case(s->trial, i);
            add_row(t, ir_baselines[b].name, s->sizes[b], &c, s->us[b][i]);
        }
}

static void add_chosen(struct table *t, const struct session *s)
{
    for (size_t i = 0; i < trial_cases(s->trial); i++) {
        const struct trial_case c = trial_case(s->trial, i);
        add_row(t, s->passes->name, ir_size(s->ir), &c, c.microseconds);
    }
}

static int show(const struct session *s, struct table_form form)
{
    struct table t;
    memset(&t, 0, sizeof t);
    table_heading(&t, "baseline,instructions,case,held_out,us");
    add_compared(&t, s);
    if (s->sizes[0] == 0)
        add_chosen(&t, s);
    table_print(&t, stdout, form);
    table_free(&t);
    if (!form.csv && !form.json)
        printf("\nbaseline: %s, %zu instructions; %zu cases, as they are twice\n", s->passes->name,
               ir_size(s->ir), trial_cases(s->trial));
    return flush_stdout();
}

int cmd_check_kernel(int argc, char **argv)
{
    struct session_options o;
    struct table_form form = {0, 0};
    struct session s;
    struct opt table[KERNEL_OPTIONS + 3] = {{0}};
    kernel_options(table, &o);
    table[KERNEL_OPTIONS] = (struct opt){.name = "--csv", .kind = OPT_FLAG, .to = &form.csv};
    table[KERNEL_OPTIONS + 1] = (struct opt){.name = "--json", .kind = OPT_FLAG, .to = &form.json};
    char *help = kernel_help(head, tail);
    int status = opts_parse(table, help, argc, argv);
    free(help);
    if (status >= 0)
        return status;
    if (table_form_check(&form) != 0)
        return 2;
    if (session_open(&s, &o) != 0)
        return 1;
    status = show(&s, form) != 0;
    session_close(&s);
    return status;
}
