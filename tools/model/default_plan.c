/* default_plan.c - see default_plan.h
   SPDX-License-Identifier: MIT */
#include "default_plan.h"

#include <string.h>

int default_find(const struct plan *p, const char *name)
{
    for (size_t i = 0; i < p->n_regs; i++)
        if (!strcmp(p->reg[i].name, name))
            return (int)i;
    return -1;
}

int default_name(struct plan *p, const char *name, enum kind kind)
{
    struct reg *r = &p->reg[p->n_regs];
    snprintf(r->name, sizeof r->name, "%s", name);
    r->kind = kind;
    return (int)p->n_regs++;
}

int default_register(struct plan *p, const char *name, const char *op, int a, int b)
{
    char full[DEFAULT_NAME];
    if (!p->registers || !p->instr)
        return -1;
    snprintf(full, sizeof full, "%.40s", name);
    for (size_t i = 2; default_find(p, full) >= 0; i++)
        snprintf(full, sizeof full, "%.40s_%zu", name, i);
    buf_printf(p->derived, "%s = %s %s%s%s\n", full, op, p->reg[a].name, b < 0 ? "" : " ",
               b < 0 ? "" : p->reg[b].name);
    p->registers--;
    p->instr--;
    return default_name(p, full, LOGARITHM);
}

int default_take_room(struct plan *p, size_t width)
{
    if (!p->instr || p->width < width)
        return 0;
    p->instr--;
    p->width -= width;
    return 1;
}
