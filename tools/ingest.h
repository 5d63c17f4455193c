/* ingest.h - the command `kpred-train ingest`
   SPDX-License-Identifier: MIT */
#ifndef KPRED_TOOLS_INGEST_H
#define KPRED_TOOLS_INGEST_H

/* argv[0] is "ingest"; returns the program's exit status: 0, 1 (data) or 2 (usage). */
int cmd_ingest(int argc, char **argv);

#endif
