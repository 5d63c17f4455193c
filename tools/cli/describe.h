/* describe.h - all there is to say of one model
   SPDX-License-Identifier: MIT */
#pragma once

/* Prints a built-in model, by name, or a header as sections of tables, or as one object of JSON.
   0, or -1 with a message. */
int describe(const char *name, int json);
