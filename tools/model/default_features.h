/* default_features.h - features for a spec that has no section [features]
   SPDX-License-Identifier: MIT */
#pragma once

#include "spec.h"

/* Adds lines as [derived] and [features] have them, each with an end of line: what a network should
   see of the spec's fields, given its parameters. They fit the limits of kpred.h. */
void default_features(const struct spec *spec, struct buf *derived, struct buf *features);
