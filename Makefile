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
GIVEN := $(call given,MIOPEN_DB,conv_%) $(call given,TENSILE_CSV,gemm_mi100_%) $(call given,AITER_CSV,gemm_a%) \
    $(call given,TRITON_CONFIGS,fused_moe_% block_gemm_%)
MIOPEN_DB ?= ../shared/miopen/data
TENSILE_CSV ?= ../shared/tensile
TRITON_CONFIGS ?= ../shared/triton
AITER_CSV ?= ../shared/aiter
TIMES_CSV ?= examples/own_kernel
NAMES = $(if $(strip $(GIVEN)),$(filter $(GIVEN),$(ALL_NAMES)),$(ALL_NAMES))
TABLES = $(if $(filter gemm_mi100_%,$(NAMES)),tables)
DBS = $(MIOPEN_DB)/gfx900_56.db.bz2 $(MIOPEN_DB)/gfx906_60.db.bz2

# With MinGW kpred alone is built, without the commands for servers; tools/base/platform.c says what stands for POSIX.
WINDOWS := $(findstring mingw,$(shell $(CC) -dumpmachine 2>/dev/null))
EXE = $(if $(WINDOWS),.exe)
BASE = -std=c99 -D_POSIX_C_SOURCE=200809L $(if $(WINDOWS),-D_POSIX) -I. -Itools -I$(BUILD)
# Libraries that some files can do without, each by itself: a file of data that needs one says so.
HASH := \#
library = $(shell printf '$(HASH)include <$(1).h>\nint main(void){return 0;}' \
    | $(CC) -xc - -o /dev/null -l$(2) >/dev/null 2>&1 && echo -DHAVE_$(3) -l$(2))
ALL_LIBRARIES = -DHAVE_SQLITE -DHAVE_BZIP2 -DHAVE_ZLIB
LIBRARIES := $(strip $(call library,sqlite3,sqlite3,SQLITE) $(call library,bzlib,bz2,BZIP2) \
    $(call library,zlib,z,ZLIB))

# The sources: every file of these rooms of tools/ is in one archive, from which the programs and the
# tests take what they need. tools/README.md says what is where.
ROOMS = base model data survey miopen aiter triton serve train lab/paper eval tune cli
SOURCES = $(wildcard $(ROOMS:%=tools/%/*.c))
MAINS = $(filter %/kpred.c %/kpred_train.c,$(SOURCES))
OBJECTS = $(SOURCES:%.c=$(BUILD)/%.o)
ARCHIVE = $(BUILD)/libkpred-tools.a
PROGRAMS = $(BUILD)/kpred$(EXE) $(if $(WINDOWS),,$(BUILD)/kpred-train)
# kpred needs half of it, which has an archive of its own, so that `make demo` need not wait for the other half.
PREDICTING = $(wildcard $(patsubst %,tools/%/*.c,base model data miopen aiter triton serve lab/paper)) \
    $(patsubst %,tools/cli/%.c,commands models predict miopen servers bench bench_time bare) \
    $(patsubst %,tools/train/%.c,additive_net matrix recipe) tools/eval/predictor.c
ifneq ($(WINDOWS),)
PREDICTING := $(filter-out $(patsubst %,tools/%.c,base/outfile base/process base/talk aiter/% triton/% serve/% \
    cli/servers),$(PREDICTING))
endif
PREDICT_ARCHIVE = $(BUILD)/libkpred-predict.a

# kpred-evolve is built where LLVM is.
include tools/evolve/evolve.mk
.DEFAULT_GOAL := all

# JOBS=N: so many files, or suites, at a time, in place of one for each core; make -jN goes before it. A make that
# another one started takes from that one's jobs, and `make clean all` goes step by step.
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL)$(filter-out all demo evolve lab,$(MAKECMDGOALS))$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(JOBS)
endif

# A line a file; V=1: the commands in its place. $(call says,WORD,FILE) begins a recipe.
says = $(if $(filter-out 0,$(V)),,@$(if $(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),,echo '  $(1) $(2)';))

.PHONY: all
all: $(PROGRAMS) ## the programs, into build/, on all cores. V=1: print the commands
ifneq ($(filter-out $(LIBRARIES),$(ALL_LIBRARIES)),)
	@echo "the programs are built without $(subst -DHAVE_,,$(filter-out $(LIBRARIES),$(ALL_LIBRARIES))), and refuse files" \
	    "that need them (Debian: apt-get install libsqlite3-dev libbz2-dev zlib1g-dev)"
endif
ifeq ($(LLVM_LIB),)
	@echo "$(WITHOUT_LLVM)"
endif

$(BUILD)/kpred$(EXE): $(BUILD)/tools/cli/kpred.o $(PREDICT_ARCHIVE)
$(BUILD)/kpred-train: $(BUILD)/tools/cli/kpred_train.o $(ARCHIVE)
$(BUILD)/kpred$(EXE) $(BUILD)/kpred-train: $(BUILD)/libraries
	$(call says,link,$@)$(CC) $(CFLAGS) $(if $(WINDOWS),-static) $(LDFLAGS) $(filter %.o %.a,$^) -o $@ $(LIBRARIES) -lm -pthread

$(PREDICT_ARCHIVE): $(PREDICTING:%.c=$(BUILD)/%.o)
$(ARCHIVE): $(filter-out $(MAINS:%.c=$(BUILD)/%.o),$(OBJECTS))
$(PREDICT_ARCHIVE) $(ARCHIVE):
	$(call says,ar,$@)rm -f $@ && $(AR) rcs $@ $^

$(OBJECTS): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call says,cc,$<)$(CC) $(BASE) $(CFLAGS) $(EXACT) $(filter -D%,$(LIBRARIES)) -MMD -MP -c $< -o $@

# The arithmetic of training, of the times it learns from, and of tuning gives the same bits on every machine:
# nothing that lets a compiler regroup. NATIVE=-march=native makes training faster, and the programs
# run on this machine alone. The times are text, which -O3 reads no faster.
$(BUILD)/tools/train/%.o $(BUILD)/tools/lab/%.o $(BUILD)/tools/tune/%.o $(BUILD)/tools/base/numbers.o \
    $(BUILD)/tools/evolve/ml/%.o: EXACT = -O3 $(NATIVE) -fno-fast-math -ffp-contract=off -pthread
$(BUILD)/tools/data/%.o: EXACT = -fno-fast-math -ffp-contract=off -pthread

# What was found of the libraries; it changes when they come or go.
$(BUILD)/libraries: FORCE
	@mkdir -p $(@D)
	@echo '$(LIBRARIES)' | cmp -s - $@ || echo '$(LIBRARIES)' >$@
$(addprefix $(BUILD)/tools/,base/unpack.o miopen/perfdb.o miopen/user_db_sqlite.o): $(BUILD)/libraries
.PHONY: FORCE

# Every generated header, and its spec as text: what the programs have built in.
$(BUILD)/tools/model/runtime.o $(BUILD)/tools/model/registry.o: $(BUILD)/models.h
$(BUILD)/models.h: $(MODELS) kpred.h kpred_constraints.h kpred_hip.h tools/release/models.sh tools/release/texts.sh
	@mkdir -p $(@D)
	$(call says,make,$@)sh tools/release/models.sh $(MODELS) > $@.tmp && mv $@.tmp $@

# What pages have as text: their style and scripts, the C that a model is asked by there, and conditions of rules.
PAGE_TEXTS = tools/base/plot.css tools/base/page.css tools/base/page.js tools/cli/explore.js tools/cli/explore.c.txt
$(BUILD)/tools/base/page.o $(BUILD)/tools/base/plot.o: $(BUILD)/page_texts.h
$(BUILD)/tools/cli/explore.o: $(BUILD)/page_texts.h
$(BUILD)/page_texts.h: $(PAGE_TEXTS) kpred_constraints.h tools/cli/explore.awk tools/release/texts.sh
	@mkdir -p $(@D)
	$(call says,make,$@)for path in $(PAGE_TEXTS); do \
	    name=$$(basename $$path | tr . _); \
	    echo "#ifdef NEEDS_$$name" && sh tools/release/texts.sh $$name <$$path && echo '#endif' || exit 1; \
	done >$@.tmp && { echo '#ifdef NEEDS_explore_rules' && \
	    awk -f tools/cli/explore.awk kpred_constraints.h | sh tools/release/texts.sh explore_rules && echo '#endif'; } \
	    >>$@.tmp && mv $@.tmp $@

-include $(OBJECTS:.o=.d)

.PHONY: demo
demo: $(BUILD)/kpred$(EXE) $(BUILD)/resnet50 ## build kpred, and predict for the layers of ResNet-50 by each kernel that applies. ALL=1: print all
	@$(BUILD)/resnet50 $(if $(filter-out 0,$(ALL)),all)

$(BUILD)/%: examples/%.c kpred.h kpred_constraints.h $(MODELS)
	@mkdir -p $(@D)
	$(call says,cc,$<)$(CC) -std=c99 -I. $(CFLAGS) $< -o $@

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

.PHONY: weights
weights: $(if $(filter conv_%,$(NAMES)),data) $(TABLES) $(BUILD)/kpred-train ## train the shipped models again, from the folders MIOPEN_DB, TENSILE_CSV, AITER_CSV, TRITON_CONFIGS, TIMES_CSV. NAMES=NAME: that one
	for name in $(NAMES); do \
	    MIOPEN_DB='$(MIOPEN_DB)' TENSILE_CSV='$(TENSILE_CSV)' AITER_CSV='$(AITER_CSV)' \
	        TRITON_CONFIGS='$(TRITON_CONFIGS)' TIMES_CSV='$(TIMES_CSV)' sh tools/train/train_model.sh $(BUILD)/kpred-train \
	        weights/$$name.spec weights/$$name.h '--include-dir ../' || exit 1; \
	done

.PHONY: pages
pages: all ## write again what the man pages have of --help
	@python3 tools/release/pages.py '$(BUILD)'

.PHONY: page
page: $(BUILD)/kpred-train ## all shipped models in one page of HTML, which answers as kpred predict does, as build/kpred.html; with clang and lld
	@$(BUILD)/kpred-train report $(MODELS) -o $(BUILD)/kpred.html --force

.PHONY: bench
bench: $(BUILD)/kpred$(EXE) ## time all models with beams 1, 10, 100, by each body, and over a bare loop
	@$(BUILD)/kpred$(EXE) bench --ratio --body all

.PHONY: install
install: all ## programs, headers, man pages and all else, below DESTDIR and PREFIX
	$(INSTALL_VARIABLES) sh tools/release/install.sh install

.PHONY: uninstall
uninstall: ## remove what install put there
	$(INSTALL_VARIABLES) sh tools/release/install.sh uninstall

INSTALL_VARIABLES = BUILD='$(BUILD)' INSTALL='$(INSTALL)' DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' \
    BINDIR='$(BINDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' MANDIR='$(MANDIR)' \
    DOCDIR='$(DOCDIR)'

.PHONY: wheel
wheel: ## the Python module with kpred and vLLM's plug-in, for pip on other machines, too, as build/wheel/kpred-VERSION-*.whl
	@python3 tools/python/build_wheel.py '$(BUILD)/wheel'

.PHONY: dist
dist: ## what is committed, as build/kpred-VERSION.tar.gz, with its checksum
	sh tools/release/dist.sh '$(BUILD)'

.PHONY: clean
clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help
help: ## this list. LAB=1: what makes the project's own figures, and tests its tests
	@cat $(if $(LAB),tools/lab/lab.mk tests/mutants/mutants.mk,Makefile tools/evolve/evolve.mk) | \
	    sed -n 's/^\([a-z_-]*\):.*## \(.*\)/  make \1|\2/p' | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

RUN = JOBS='$(JOBS)' CC='$(CC)' CFLAGS='$(CFLAGS)' BUILD='$(BUILD)' MIOPEN_DB='$(MIOPEN_DB)' \
    TENSILE_CSV='$(TENSILE_CSV)' AITER_CSV='$(AITER_CSV)' TRITON_CONFIGS='$(TRITON_CONFIGS)' sh tests/harness/run.sh

.PHONY: check
check: ## run the tests. SUITES=NAME: that one; --all, --deep: more. FAILED=1: that failed
	@echo "building the programs"
	@$(MAKE) -s -j$(JOBS) all
	@$(RUN) $(if $(FAILED),--failed,$(SUITES))

.PHONY: smoke
smoke: all ## run the few tests that show in a minute whether much is broken
	@$(RUN) --smoke

.PHONY: release-check
release-check: all ## the one gate before a tag: stages that have not passed for this commit. WHOLE=1: no part is drawn
	@BUILD='$(BUILD)' JOBS='$(JOBS)' CC='$(CC)' sh tools/release/check.sh $(if $(WHOLE),--whole)

.PHONY: matrix
matrix: ## compilers, flags, bodies, processors, C libraries: one signature in every cell
	@BUILD='$(BUILD)' JOBS='$(JOBS)' sh tests/matrix/matrix.sh all

# STRIDE, COUNT, EVERY and EACH: tests/proof
.PHONY: proof
proof: all ## show at length what other tests show in short, and prove whole calls with Frama-C; hours
	@STRIDE=1 COUNT=20 EVERY=1 $(RUN) test_domains test_search test_golden proof
	@BUILD='$(BUILD)' JOBS='$(JOBS)' sh tests/proof/whole.sh all

.PHONY: faults
faults: all ## let memory, disk and calls of the system fail, and kill commands; five minutes
	@BUILD='$(BUILD)' CC='$(CC)' sh tests/faults/faults.sh all

.PHONY: tsan
tsan: all ## train and tune under ThreadSanitizer, in build/tsan; about two minutes
	@BUILD='$(BUILD)' CC='$(CC)' sh tests/faults/tsan.sh

.PHONY: analyze
analyze: ## static analysis of headers, generated headers and examples by five tools
	@sh tools/release/analyze.sh

.PHONY: misra
misra: ## cppcheck's MISRA addon: no deviation that docs/misra.md does not state
	@sh tools/release/analyze.sh misra

.PHONY: fuzz
fuzz: ## let libFuzzer loose on all inputs, SECONDS each (20); ONLY=NAME,...: these alone
	@BUILD='$(BUILD)' sh tests/fuzz/fuzz.sh --seconds '$(or $(SECONDS),20)' $(if $(ONLY),--only '$(ONLY)')

.PHONY: signature
signature: ## hash of what every shipped model predicts; expected: tests/signature
	@mkdir -p $(BUILD)/signature
	@$(CC) -std=c99 -I. $(CFLAGS) tests/signature.c -o $(BUILD)/signature/signature
	@$(BUILD)/signature/signature

.PHONY: renew
renew: all ## write again what follows from models: list, signature, answers, vectors. MODEL=NAME: from that one
	@CC='$(CC)' CFLAGS='$(CFLAGS)' sh tools/release/renew.sh $(BUILD) $(MODEL)

# What makes the project's own figures, and what tests its tests
include tools/lab/lab.mk tests/mutants/mutants.mk
