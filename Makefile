# kpred: `make help` lists the targets. What the build needs is not kept in CFLAGS: set them freely.

CC ?= cc
CFLAGS ?= -O2
BUILD ?= build
MIOPEN_DB ?= ../shared/miopen/data
TENSILE_CSV ?= ../shared/tensile
INSTALL ?= install
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/kpred

SPECS = $(sort $(wildcard weights/*.spec))
MODELS = $(sort $(wildcard weights/*.h))
NAMES = $(notdir $(SPECS:.spec=))
TABLES = $(if $(filter weights/gemm_%,$(SPECS)),tables)
DBS = $(MIOPEN_DB)/gfx900_56.db.bz2 $(MIOPEN_DB)/gfx906_60.db.bz2

BASE = -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools -I$(BUILD)
# The trainer's arithmetic: the same bits on every machine, so nothing that lets a compiler regroup.
EXACT = -O3 $(NATIVE) -fno-fast-math -ffp-contract=off -pthread
NATIVE := $(shell echo | $(CC) -march=native -xc -E - >/dev/null 2>&1 && echo -march=native)

SHARED = $(addprefix base/,opts table util) \
         $(addprefix model/,header_read header_text header_write listed model program registry \
             rules runtime spec) \
         data/split $(addprefix miopen/,conv coverage driver tuple_text user_db) \
         $(addprefix cli/,bench commands miopen)
KPRED = $(addprefix cli/,kpred models predict) $(SHARED)
TRAIN = $(addprefix base/,bz2 csv_records plot) $(addprefix data/,csv data held_out tensile) \
        $(addprefix miopen/,channels finddb miopen_rows perfdb textdb user_db_sqlite) \
        $(addprefix train/paper/,header paper scorer words) \
        $(addprefix eval/,float_scorer predictor reliability shares temperature) \
        $(addprefix cli/,bench_any eval ingest kpred_train train) $(SHARED)
EXACT_TRAIN = base/numbers $(addprefix train/,additive adam judge matrix recipe time_targets) \
              $(addprefix train/paper/,attention attn bilstm blocks conv1d dense encdec fit hybrid \
                  lstm net onehot softmax)

object = $(addprefix $(BUILD)/tools/,$(addsuffix .o,$(1)))

HASH := \#
HAVE_LIBS := $(shell printf '$(HASH)include <sqlite3.h>\n$(HASH)include <bzlib.h>\nint main(void){return 0;}' \
    | $(CC) -xc - -o /dev/null -lsqlite3 -lbz2 >/dev/null 2>&1 && echo yes)
TRAINER = $(if $(HAVE_LIBS),$(BUILD)/kpred-train,no-trainer)

.PHONY: all
all: $(BUILD)/kpred $(TRAINER) ## both programs, into build/

.PHONY: no-trainer
no-trainer:
	@echo "kpred-train is not built: it needs SQLite and bzip2 (Debian: apt-get install" \
	    "libsqlite3-dev libbz2-dev)"

$(BUILD)/kpred: $(call object,$(KPRED))
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/kpred-train: $(call object,$(TRAIN) $(EXACT_TRAIN))
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ -lsqlite3 -lbz2 -lm -pthread

$(BUILD)/tools/%.o: tools/%.c $(BUILD)/models.h
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) -MMD -MP -c $< -o $@

$(call object,$(EXACT_TRAIN)): $(BUILD)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXACT) -MMD -MP -c $< -o $@

# Every generated header, and its spec as text: what the programs have built in.
$(BUILD)/models.h: $(MODELS) tools/release/models.sh
	@mkdir -p $(@D)
	sh tools/release/models.sh $(MODELS) > $@.tmp && mv $@.tmp $@

-include $(wildcard $(BUILD)/tools/*/*.d $(BUILD)/tools/*/*/*.d)

.PHONY: demo
demo: $(BUILD)/resnet50 ## predict for the layers of ResNet-50 with every kernel that applies
	@$(BUILD)/resnet50

$(BUILD)/%: examples/%.c kpred.h kpred_constraints.h $(MODELS)
	@mkdir -p $(@D)
	$(CC) -std=c99 -I. $(CFLAGS) $< -o $@

# For ROCm in /opt: HIP_CFLAGS='-D__HIP_PLATFORM_AMD__ -isystem /opt/rocm/include'
# HIP_LIBS='-L/opt/rocm/lib -lamdhip64'
HIP_CFLAGS ?= -D__HIP_PLATFORM_AMD__
HIP_LIBS ?= -lamdhip64

.PHONY: hip_select
hip_select: $(BUILD)/hip_select ## examples/hip_select.c, which needs HIP

$(BUILD)/hip_select: examples/hip_select.c kpred_hip.h kpred.h kpred_constraints.h $(MODELS)
	@echo 'int main(void){return 0;}' | $(CC) -include hip/hip_runtime_api.h $(HIP_CFLAGS) -xc - \
	    -o /dev/null $(HIP_LIBS) >/dev/null 2>&1 || { echo "hip_select needs HIP (Debian: apt-get" \
	    "install libamdhip64-dev; else set HIP_CFLAGS and HIP_LIBS)" >&2; exit 1; }
	@mkdir -p $(@D)
	$(CC) -std=c99 -I. $(HIP_CFLAGS) $(CFLAGS) $< $(LDFLAGS) $(HIP_LIBS) -o $@

.PHONY: check
check: all ## run the tests
	CC='$(CC)' CFLAGS='$(CFLAGS)' BUILD='$(BUILD)' MIOPEN_DB='$(MIOPEN_DB)' \
	    TENSILE_CSV='$(TENSILE_CSV)' sh tests/harness/run.sh

.PHONY: signature
signature: ## hash of what every shipped model predicts; expected: tests/signature
	@mkdir -p $(BUILD)/signature
	@$(CC) -std=c99 -I. $(CFLAGS) tests/signature.c -o $(BUILD)/signature/signature
	@$(BUILD)/signature/signature

.PHONY: weights
weights: data $(TABLES) $(TRAINER) ## train the shipped models again, from MIOPEN_DB and TENSILE_CSV
	for name in $(NAMES); do \
	    MIOPEN_DB='$(MIOPEN_DB)' TENSILE_CSV='$(TENSILE_CSV)' sh tools/train/train_model.sh $(BUILD)/kpred-train \
	        weights/$$name.spec weights/$$name.h '' || exit 1; \
	done

.PHONY: accuracy
accuracy: data $(TABLES) $(TRAINER) ## measure them, and models of other splits: weights/README.md
	MIOPEN_DB='$(MIOPEN_DB)' TENSILE_CSV='$(TENSILE_CSV)' sh tools/report/accuracy.sh $(BUILD) $(DBS)

.PHONY: paper
paper: data $(TRAINER) ## train the five networks of the paper, into build/paper, and judge them
	@sh tools/report/compare.sh $(BUILD) $(DBS)

.PHONY: report
report: data $(TRAINER) ## measure what is not yet, also beside other methods: docs/accuracy.md
	@sh tools/report/measure.sh $(BUILD) $(DBS)
	@python3 tools/report/report.py $(BUILD)/report

.PHONY: gemm
gemm: tables $(TRAINER) ## judge the GEMM models, each shape of TENSILE_CSV left out once, in build/gemm
	@sh tools/report/folds.sh $(BUILD) '$(TENSILE_CSV)'

.PHONY: data
data:
	@test -r '$(firstword $(DBS))' || { echo "no tuning data in $(MIOPEN_DB): set MIOPEN_DB to the" \
	    "folder src/kernels of a checkout of https://github.com/ROCm/MIOpen" >&2; exit 1; }

.PHONY: tables
tables:
	@ls '$(TENSILE_CSV)'/mi100-sgemm-*.csv.bz2 >/dev/null 2>&1 || { echo "no tables of GEMM kernels in" \
	    "$(TENSILE_CSV): set TENSILE_CSV to the folder of those of https://github.com/ROCm/Tensile" \
	    "that the headers of weights/gemm_* name" >&2; exit 1; }

.PHONY: bench
bench: ## time all models with beams 1, 10, 100: portable C and SIMD
	@for simd in 0 1; do echo "KPRED_SIMD=$$simd, $(CC) $(CFLAGS)"; \
	    $(MAKE) -s BUILD=$(BUILD)/simd$$simd CFLAGS='$(CFLAGS) -DKPRED_SIMD='$$simd \
	        $(BUILD)/simd$$simd/kpred && $(BUILD)/simd$$simd/kpred bench || exit 1; done

.PHONY: race
race: ## how often kpred_hip_select finds the fastest of ten, beside other ways to choose
	@CC='$(CC)' TENSILE_CSV='$(TENSILE_CSV)' sh tests/hip/hip_race.sh --table

.PHONY: install
install: all ## programs, headers, man pages and all else, below DESTDIR and PREFIX
	$(INSTALL_VARIABLES) sh tools/release/install.sh install

.PHONY: uninstall
uninstall: ## remove what install put there
	$(INSTALL_VARIABLES) sh tools/release/install.sh uninstall

INSTALL_VARIABLES = BUILD='$(BUILD)' INSTALL='$(INSTALL)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' \
    BINDIR='$(BINDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' MANDIR='$(MANDIR)' \
    DOCDIR='$(DOCDIR)'

.PHONY: dist
dist: ## what is committed, as build/kpred-VERSION.tar.gz
	sh tools/release/dist.sh '$(BUILD)'

.PHONY: clean
clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z_]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'
