# kpred: `make help` lists the targets. What the build needs is not kept in CFLAGS: set them freely.

CC ?= cc
CFLAGS ?= -O2
BUILD ?= build
INSTALL ?= install
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/kpred

SPECS = $(sort $(wildcard weights/*.spec))
MODELS = $(sort $(wildcard weights/*.h))
ALL_NAMES = $(notdir $(SPECS:.spec=))
# Of whom make weights trains: where the folders of some data are given, the models of these data alone
given = $(if $(filter-out file default undefined,$(firstword $(origin $(1)))),$(2))
GIVEN := $(call given,MIOPEN_DB,conv_%) $(call given,TENSILE_CSV,gemm_mi100_%) $(call given,AITER_CSV,gemm_a%)
MIOPEN_DB ?= ../shared/miopen/data
TENSILE_CSV ?= ../shared/tensile
AITER_CSV ?= ../shared/aiter
TUNER ?= ../shared/tuner
NAMES = $(if $(strip $(GIVEN)),$(filter $(GIVEN),$(ALL_NAMES)),$(ALL_NAMES))
TABLES = $(if $(filter gemm_mi100_%,$(NAMES)),tables)
DBS = $(MIOPEN_DB)/gfx900_56.db.bz2 $(MIOPEN_DB)/gfx906_60.db.bz2

BASE = -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools -I$(BUILD)
# Libraries that some files can do without, each by itself: a file of data that needs one says so.
HASH := \#
library = $(shell printf '$(HASH)include <$(1).h>\nint main(void){return 0;}' \
    | $(CC) -xc - -o /dev/null -l$(2) >/dev/null 2>&1 && echo -DHAVE_$(3) -l$(2))
LIBRARIES := $(strip $(call library,sqlite3,sqlite3,SQLITE) $(call library,bzlib,bz2,BZIP2) \
    $(call library,zlib,z,ZLIB) $(call library,jansson,jansson,JANSSON))

# The sources: every file of these rooms of tools/ is in one archive, from which the programs and the
# tests take what they need. tools/README.md says what is where.
ROOMS = base model data miopen aiter train train/paper eval tune cli
SOURCES = $(wildcard $(ROOMS:%=tools/%/*.c))
MAINS = $(filter %/kpred.c %/kpred_train.c,$(SOURCES))
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
ARCHIVE = $(BUILD)/libkpred-tools.a
PROGRAMS = $(BUILD)/kpred $(BUILD)/kpred-train

# kpred-evolve is built where LLVM is.
include tools/evolve/evolve.mk
.DEFAULT_GOAL := all

.PHONY: all
all: $(PROGRAMS) ## the programs, into build/
ifeq ($(LLVM_LIB),)
	@echo "kpred-evolve is not built: it needs LLVM 16 (Debian: apt-get install llvm-16-dev clang-16)"
endif

$(BUILD)/kpred: $(BUILD)/tools/cli/kpred.o $(ARCHIVE)
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@

$(BUILD)/kpred-train: $(BUILD)/tools/cli/kpred_train.o $(ARCHIVE) $(BUILD)/libraries
	$(CC) $(CFLAGS) $(LDFLAGS) $(filter-out %/libraries,$^) -o $@ $(LIBRARIES) -lm -pthread

$(ARCHIVE): $(filter-out $(MAINS:%.c=$(BUILD)/%.o),$(OBJECTS))
	rm -f $@ && $(AR) rcs $@ $^

$(OBJECTS): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE) $(CFLAGS) $(EXACT) $(filter -D%,$(LIBRARIES)) -MMD -MP -c $< -o $@

# The arithmetic of training, of the times it learns from, and of tuning gives the same bits on every machine:
# nothing that lets a compiler regroup. NATIVE=-march=native makes training faster, and the programs
# run on this machine alone.
$(BUILD)/tools/train/%.o $(BUILD)/tools/data/%.o $(BUILD)/tools/tune/%.o $(BUILD)/tools/base/numbers.o \
    $(BUILD)/tools/evolve/ml/%.o: EXACT = -O3 $(NATIVE) -fno-fast-math -ffp-contract=off -pthread

# What was found of the libraries; it changes when they come or go.
$(BUILD)/libraries: FORCE
	@mkdir -p $(@D)
	@echo '$(LIBRARIES)' | cmp -s - $@ || echo '$(LIBRARIES)' >$@
$(addprefix $(BUILD)/tools/,base/bz2.o base/gz.o base/json.o data/t1.o data/tuner_read.o data/tuner_forms.o \
    miopen/perfdb.o miopen/user_db_sqlite.o aiter/hf_model.o): $(BUILD)/libraries
.PHONY: FORCE

# Every generated header, and its spec as text: what the programs have built in.
$(BUILD)/tools/model/runtime.o $(BUILD)/tools/model/registry.o: $(BUILD)/models.h
$(BUILD)/models.h: $(MODELS) kpred.h kpred_constraints.h kpred_hip.h tools/release/models.sh
	@mkdir -p $(@D)
	sh tools/release/models.sh $(MODELS) > $@.tmp && mv $@.tmp $@

-include $(OBJECTS:.o=.d)

.PHONY: demo
demo: $(BUILD)/resnet50 ## predict for the layers of ResNet-50 with every kernel that applies. ALL=1: print all
	@$(BUILD)/resnet50 $(if $(filter-out 0,$(ALL)),all)

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

# JOBS=N: so many suites at a time, in place of one for each core
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
RUN = JOBS='$(JOBS)' CC='$(CC)' CFLAGS='$(CFLAGS)' BUILD='$(BUILD)' MIOPEN_DB='$(MIOPEN_DB)' \
    TENSILE_CSV='$(TENSILE_CSV)' AITER_CSV='$(AITER_CSV)' sh tests/harness/run.sh

.PHONY: check
check: ## run the tests. SUITES=NAME: that one; --all: those of the gate, too; --deep: the longest. FAILED=1: that failed
	@echo "building the programs"
	@$(MAKE) -s -j$(JOBS) all
	@$(RUN) $(if $(FAILED),--failed,$(SUITES))

.PHONY: smoke
smoke: all ## run the few tests that show in a minute whether much is broken
	@$(RUN) --smoke

.PHONY: release-check
release-check: all ## the one gate before a tag: the stages of tools/release/stages that have not passed for this commit
	@BUILD='$(BUILD)' JOBS='$(JOBS)' CC='$(CC)' sh tools/release/check.sh

.PHONY: matrix
matrix: ## compilers, levels, flags, bodies, processors and C libraries: one signature in every cell of tests/matrix/cells
	@BUILD='$(BUILD)' JOBS='$(JOBS)' sh tests/matrix/matrix.sh all

SOAK ?= 100000

.PHONY: soak
soak: all ## let SOAK hostile children, 100000 unless it is set, loose on kpred-evolve; about ten minutes
	@SOAK=1 $(RUN) test_trial >/dev/null
	@SOAK='$(SOAK)' $(BUILD)/check/test_trial

# STRIDE, COUNT and EVERY: tests/proof
.PHONY: proof
proof: all ## show at length what other tests show in short; some minutes, and with Frama-C if it is there
	@STRIDE=1 COUNT=20 EVERY=1 $(RUN) test_domains test_search test_golden proof

.PHONY: faults
faults: all ## let memory, the disk and calls of the system fail in every command, and kill them; about five minutes
	@BUILD='$(BUILD)' CC='$(CC)' sh tests/faults/faults.sh all

.PHONY: tsan
tsan: all ## train and tune under ThreadSanitizer, in build/tsan; about two minutes
	@BUILD='$(BUILD)' CC='$(CC)' sh tests/faults/tsan.sh

.PHONY: analyze
analyze: ## static analysis by gcc, clang, clang-tidy, cppcheck and sparse of headers, generated headers and examples
	@sh tools/release/analyze.sh

.PHONY: misra
misra: ## cppcheck's MISRA addon: no deviation that docs/misra.md does not state
	@sh tools/release/analyze.sh misra

.PHONY: mutants
mutants: $(if $(TOOLS),all) ## which of 300 small changes of the headers the tests notice, in build/mutants; an hour, and it goes on where it ended. TOOLS=1: of 40 of the tools
	@CC='$(CC)' JOBS='$(JOBS)' python3 tests/mutants/$(if $(TOOLS),tools.py $(BUILD),run.py $(BUILD)/mutants --jobs $(JOBS))

.PHONY: renew
renew: all ## write again what follows from the shipped models: their list, signature, golden answers, docs/models.md
	@CC='$(CC)' CFLAGS='$(CFLAGS)' sh tools/release/renew.sh $(BUILD)

.PHONY: coverage
coverage: ## lines and branches of the headers that tests reach; tests/mutants/unreached has the others. TOOLS=1: of the tools
	@python3 tests/mutants/coverage.py $(BUILD)/coverage $(if $(TOOLS),--tools $(SUITES))

.PHONY: breaks
breaks: all ## put 41 faults in, one after the other, and see that the suite meant for each fails; an hour
	@CC='$(CC)' JOBS='$(JOBS)' python3 tests/mutants/breaks.py $(BUILD)

.PHONY: fuzz
fuzz: ## let libFuzzer loose on predictions and on all that reads files, SECONDS each (20); ONLY=NAME,...: these alone
	@BUILD='$(BUILD)' sh tests/fuzz/fuzz.sh --seconds '$(or $(SECONDS),20)' $(if $(ONLY),--only '$(ONLY)')

.PHONY: signature
signature: ## hash of what every shipped model predicts; expected: tests/signature
	@mkdir -p $(BUILD)/signature
	@$(CC) -std=c99 -I. $(CFLAGS) tests/signature.c -o $(BUILD)/signature/signature
	@$(BUILD)/signature/signature

.PHONY: weights
weights: $(if $(filter conv_%,$(NAMES)),data) $(TABLES) $(BUILD)/kpred-train ## train the shipped models again, from MIOPEN_DB, TENSILE_CSV and AITER_CSV
	for name in $(NAMES); do \
	    MIOPEN_DB='$(MIOPEN_DB)' TENSILE_CSV='$(TENSILE_CSV)' AITER_CSV='$(AITER_CSV)' sh tools/train/train_model.sh $(BUILD)/kpred-train \
	        weights/$$name.spec weights/$$name.h '--include-dir ../' || exit 1; \
	done

.PHONY: accuracy
accuracy: data $(TABLES) $(BUILD)/kpred-train ## measure them, and models of other splits: weights/README.md
	MIOPEN_DB='$(MIOPEN_DB)' TENSILE_CSV='$(TENSILE_CSV)' AITER_CSV='$(AITER_CSV)' sh tools/report/accuracy.sh $(BUILD) $(DBS)

.PHONY: paper
paper: data $(BUILD)/kpred-train ## train the five networks of the paper, into build/paper, and judge them
	@sh tools/report/compare.sh $(BUILD) $(DBS)

.PHONY: report
report: data $(BUILD)/kpred-train ## measure what is not yet, also beside other methods: docs/accuracy.md
	@sh tools/report/measure.sh $(BUILD) $(DBS)
	@python3 tools/report/report.py $(BUILD)/report

.PHONY: gemm
gemm: tables $(BUILD)/kpred-train ## judge the GEMM models, each shape of TENSILE_CSV left out once, in build/gemm
	@sh tools/report/folds.sh $(BUILD) '$(TENSILE_CSV)'

.PHONY: aiter
aiter: $(BUILD)/kpred-train ## judge the models of AITER's kernels beside other methods, in build/aiter; an hour
	@sh tools/report/aiter.sh $(BUILD) '$(AITER_CSV)'

.PHONY: tuners
tuners: $(BUILD)/kpred-train ## replay kpred's tuner and other strategies on the tables of TUNER, in build/tuners; an hour
	@sh tools/report/tuners.sh $(BUILD) '$(TUNER)'

.PHONY: evolve
evolve: $(BUILD)/kpred-evolve ## let the kernels of examples/evolve evolve by three methods, in build/evolve; hours
	@sh tools/report/evolve.sh $(BUILD)

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
bench: $(BUILD)/kpred ## time all models with beams 1, 10, 100, by each body, also over the time of a bare loop
	@$(BUILD)/kpred bench --ratio --body all

.PHONY: cost
cost: $(BUILD)/kpred ## fit how the cost of a prediction grows, in build/cost; ten minutes on an idle machine
	@sh tools/report/cost.sh $(BUILD)

.PHONY: bench-peers
bench-peers: data all ## time kpred beside other ways to predict tuples, in build/peers; ONLY=NAME,...: these alone
	@CC='$(CC)' CFLAGS='$(CFLAGS)' ONLY='$(ONLY)' INTO='$(INTO)' sh tools/report/peers.sh $(BUILD) $(DBS)

.PHONY: own
own: all ## what a sample of timings teaches, beside XGBoost, a forest and simpler ways; hours; ONLY=TABLE,...: these alone
	@python3 tools/peers/own.py --train $(BUILD)/kpred-train --tables '$(ONLY)'

.PHONY: race
race: $(BUILD)/kpred ## how often kpred_hip_select finds the fastest of ten, beside other ways to choose
	@BUILD='$(BUILD)' CC='$(CC)'; . tests/harness/script.inc && test_program test_race $(BUILD)/race && \
	    TENSILE_CSV='$(TENSILE_CSV)' $(BUILD)/race --table

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
dist: ## what is committed, as build/kpred-VERSION.tar.gz, with its checksum
	sh tools/release/dist.sh '$(BUILD)'

.PHONY: clean
clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@sed -n 's/^\([a-z_-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'
