/* tune_replay.h - `kpred-train tune --replay`
   SPDX-License-Identifier: MIT */
#pragma once

/* Do the arguments ask for it? */
int tune_replay_is_asked(int argc, char **argv);
int cmd_tune_replay(int argc, char **argv);
