# evolve.mk - kpred-evolve: how it is built, tested, measured and soaked. The Makefile includes it.
# SPDX-License-Identifier: MIT

# kpred-evolve is built where LLVM's C API and clang of one version are; nothing else needs them.
LLVM_CONFIG ?= llvm-config-16
EVOLVE_CLANG ?= clang-16
EVOLVE_LLD ?= $(EVOLVE_CLANG:clang%=ld.lld%)
# It runs kernels behind a filter of system calls, for which musl-gcc, as Debian has it, lacks Linux's headers.
LLVM_LIB := $(shell command -v $(EVOLVE_CLANG) >/dev/null \
    && { test "`uname`" != Linux || echo '$(HASH)include <linux/audit.h>' | $(CC) -E -xc - >/dev/null 2>&1; } \
    && $(LLVM_CONFIG) --link-shared --ldflags --libs core 2>/dev/null)
WITHOUT_LLVM = kpred-evolve is not built: it needs LLVM 16 (Debian: apt-get install llvm-16-dev clang-16) and the \
    headers of the system
ifneq ($(LLVM_LIB),)
EVOLVE := $(wildcard $(addprefix tools/evolve/,*.c cmd/*.c ir/*.c tensor/*.c ml/*.c))
EVOLVE_OBJECTS = $(EVOLVE:%.c=$(BUILD)/%.o)
EVOLVE_ARCHIVE = $(BUILD)/libkpred-evolve.a
PROGRAMS += $(BUILD)/kpred-evolve
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir)
LLVM_BINDIR := $(shell $(LLVM_CONFIG) --bindir)
EVOLVE_TRANSLATE := $(LLVM_BINDIR)/mlir-translate
LLVM_FLAGS = -isystem $(LLVM_INCLUDE) -DEVOLVE_CLANG='"$(EVOLVE_CLANG)"' -DEVOLVE_LLD='"$(EVOLVE_LLD)"' \
    -DEVOLVE_TRANSLATE='"$(EVOLVE_TRANSLATE)"'
# MLIR's C API is there as archives alone, which call each other. LLVM's linker takes a fourth of the time for them.
LLVM_LIBDIR := $(shell $(LLVM_CONFIG) --libdir)
MLIR_ARCHIVES := $(and $(wildcard $(LLVM_LIBDIR)/libMLIR.so),$(wildcard $(LLVM_LIBDIR)/libMLIRCAPI*.a))
ifneq ($(MLIR_ARCHIVES),)
LLVM_FLAGS += -DHAVE_MLIR
LLVM_LIB := -Wl,--as-needed -Wl,--start-group $(MLIR_ARCHIVES) -Wl,--end-group -L$(LLVM_LIBDIR) -lMLIR $(LLVM_LIB) \
    -Wl,-rpath,$(LLVM_LIBDIR) -lstdc++ $(if $(wildcard $(LLVM_BINDIR)/ld.lld),-fuse-ld=lld -B$(LLVM_BINDIR))
else
EVOLVE := $(filter-out tools/evolve/tensor/% tools/evolve/cmd/ml_%,$(EVOLVE))
endif
LLVM_LIB += $(filter -lbz2 -lz,$(LIBRARIES))

# The harness's header is built in: what kpred-evolve compiles includes it as kpred_evolve.h.
$(BUILD)/kpred-evolve: $(BUILD)/tools/evolve/cmd/kpred_evolve.o $(EVOLVE_ARCHIVE) $(BUILD)/evolve.libraries
	$(call says,link,$@)$(CC) $(CFLAGS) $(LDFLAGS) $(filter-out %/evolve.libraries,$^) -o $@ $(LLVM_LIB) -ldl -lm -pthread

# Of the house it has the room base and the table of commands.
EVOLVE_BASE = $(filter $(BUILD)/tools/base/% %/cli/commands.o,$(OBJECTS))
$(EVOLVE_ARCHIVE): $(filter-out %/kpred_evolve.o,$(EVOLVE_OBJECTS)) $(EVOLVE_BASE)
	$(call says,ar,$@)rm -f $@ && $(AR) rcs $@ $^
	@echo '-isystem $(LLVM_INCLUDE) -DEVOLVE_CLANG="$(EVOLVE_CLANG)" -DEVOLVE_LLD="$(EVOLVE_LLD)" -DEVOLVE_TRANSLATE="$(EVOLVE_TRANSLATE)"$(if $(MLIR_ARCHIVES), -DHAVE_MLIR)' >$(BUILD)/evolve.flags

$(EVOLVE_OBJECTS): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call says,cc,$<)$(CC) $(BASE) $(LLVM_FLAGS) $(CFLAGS) $(EXACT) -MMD -MP -c $< -o $@

$(BUILD)/tools/evolve/host.o: $(BUILD)/harness_text.h
$(BUILD)/tools/evolve/cmd/ml_export.o: $(BUILD)/memory_text.h
$(BUILD)/harness_text.h: tools/evolve/harness.h
$(BUILD)/tools/evolve/ml/mlir_text.o: $(BUILD)/step_text.h
$(BUILD)/memory_text.h: tools/evolve/tensor/memory.h
$(BUILD)/step_text.h: tools/evolve/ml/step.mlir
$(BUILD)/harness_text.h $(BUILD)/memory_text.h $(BUILD)/step_text.h:
	@mkdir -p $(@D)
	$(call says,make,$@)sed '/^\/\//d; s/[\\"]/\\&/g; s/.*/"&\\n",/' $< > $@.tmp && mv $@.tmp $@

# What was found of the libraries; it changes when they come or go.
$(BUILD)/evolve.libraries: FORCE
	@mkdir -p $(@D)
	@echo '$(LLVM_LIB) -ldl' | cmp -s - $@ || echo '$(LLVM_LIB) -ldl' >$@
$(BUILD)/tools/evolve/cmd/network.o $(BUILD)/tools/evolve/cmd/kpred_evolve.o: $(BUILD)/evolve.libraries

-include $(EVOLVE_OBJECTS:.o=.d)
else
$(BUILD)/kpred-evolve:
	@echo "$(WITHOUT_LLVM)" >&2; exit 1
endif

.PHONY: evolve check-evolve
evolve: $(BUILD)/kpred-evolve ## kpred-evolve alone, without kpred and kpred-train
check-evolve: evolve ## run the tests of kpred-evolve alone
	@$(RUN) --room evolve

.PHONY: evolve-figures
evolve-figures: evolve ## let the kernels of tools/evolve/examples evolve by three methods, in build/evolve; hours
	@sh tools/evolve/figures.sh $(BUILD)

SOAK ?= 100000

.PHONY: soak
soak: evolve ## let SOAK hostile children (100000) loose on kpred-evolve; about ten minutes
	@SOAK=1 $(RUN) test_trial >/dev/null
	@SOAK='$(SOAK)' $(BUILD)/check/test_trial
