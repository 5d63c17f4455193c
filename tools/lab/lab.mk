# lab.mk - what makes the project's own figures: trained, measured, compared. The Makefile includes it.
# SPDX-License-Identifier: MIT

TUNER ?= ../shared/tuner

.PHONY: lab check-lab
lab: all ## the programs, and what bench-peers times
	@$(MAKE) -s -f tools/lab/bench/Makefile CC='$(CC)' CFLAGS='$(CFLAGS)' BUILD='$(BUILD)'
check-lab: all ## run the tests of the lab alone
	@$(RUN) $$(awk '!/^#/ { print $$3 }' tools/lab/tests/suites)

.PHONY: accuracy
accuracy: data $(TABLES) $(BUILD)/kpred-train ## measure the shipped models, and models of other splits: weights/README.md
	MIOPEN_DB='$(MIOPEN_DB)' TENSILE_CSV='$(TENSILE_CSV)' AITER_CSV='$(AITER_CSV)' TRITON_CONFIGS='$(TRITON_CONFIGS)' \
	    python3 tools/lab/report/accuracy.py $(BUILD) $(DBS)

.PHONY: pictures
pictures: ## draw again the pictures of CSV files in tools/lab/docs: hit rates, shares on tables of timings, peers; with gnuplot
	@python3 tools/lab/report/plots.py tools/lab/docs
	@python3 tools/lab/report/peers.py tools/lab/docs/performance-peers.csv --plot tools/lab/docs/performance-peers.svg >/dev/null

.PHONY: paper
paper: data $(BUILD)/kpred-train ## train the five networks of the paper, into build/paper, and judge them
	@sh tools/lab/report/compare.sh $(BUILD) $(DBS)

.PHONY: report
report: data $(BUILD)/kpred-train ## measure what is not yet, also beside other methods: accuracy.md
	@sh tools/lab/report/measure.sh $(BUILD) $(DBS)
	@python3 tools/lab/report/report.py $(BUILD)/report
	@$(MAKE) -s pictures

.PHONY: gemm
gemm: tables $(BUILD)/kpred-train ## judge the GEMM models, each shape of TENSILE_CSV left out once, in build/gemm
	@sh tools/lab/report/gemm.sh tensile $(BUILD) '$(TENSILE_CSV)'

.PHONY: aiter
aiter: $(BUILD)/kpred-train ## judge the models of AITER's kernels beside other methods, in build/aiter; an hour
	@sh tools/lab/report/gemm.sh aiter $(BUILD) '$(AITER_CSV)'

.PHONY: triton
triton: $(BUILD)/kpred-train $(BUILD)/peers/triton-default ## judge the models of Triton's kernels beside other methods, on folds of TRITON_CONFIGS; an hour
	@TRITON_CONFIGS='$(TRITON_CONFIGS)' sh tools/lab/report/gemm.sh triton $(BUILD) '$(TRITON_CONFIGS)'

$(BUILD)/peers/triton-default: tools/lab/peers/triton_default.c $(BUILD)/kpred
	@mkdir -p $(@D)
	@$(CC) -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools $(CFLAGS) $< $(BUILD)/libkpred-predict.a -o $@ -lm

.PHONY: tuners
tuners: $(BUILD)/kpred-train ## replay kpred's tuner and others on the tables of TUNER, in build/tuners; an hour
	@sh tools/lab/report/tuners.sh $(BUILD) '$(TUNER)'

.PHONY: cost
cost: $(BUILD)/kpred ## fit how the cost of a prediction grows, in build/cost; ten minutes
	@sh tools/lab/report/cost.sh $(BUILD)

.PHONY: lines
lines: $(BUILD)/kpred ## count the lines of the cache that a cold prediction touches, by kind, with valgrind; some minutes
	@mkdir -p $(BUILD)/peers
	@$(CC) -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools -I$(BUILD) $(CFLAGS) tools/lab/bench/lines.c \
	    $(BUILD)/libkpred-predict.a -o $(BUILD)/peers/lines -lm
	@sh tools/lab/bench/lines.sh $(BUILD)/peers/lines "1 10" $$($(BUILD)/kpred models --csv | sed '1d;s/,.*//')

.PHONY: bench-peers
bench-peers: data all ## time kpred beside other ways, in build/peers; ONLY=NAME,...: these alone
	@CC='$(CC)' CFLAGS='$(CFLAGS)' ONLY='$(ONLY)' INTO='$(INTO)' sh tools/lab/report/peers.sh $(BUILD) $(DBS)

.PHONY: own
own: all ## what a sample of timings teaches, beside other ways, also of new sizes; many hours; ONLY=TABLE,...
	@python3 tools/lab/peers/own.py --train $(BUILD)/kpred-train --tables '$(ONLY)' --kept $(BUILD)/own.json

.PHONY: race
race: $(BUILD)/kpred ## how often kpred_hip_select finds the fastest of ten, beside other ways to choose
	@BUILD='$(BUILD)' CC='$(CC)'; . tests/harness/script.inc && test_program test_race $(BUILD)/race && \
	    TENSILE_CSV='$(TENSILE_CSV)' $(BUILD)/race --table

.PHONY: data
data:
	@test -r '$(firstword $(DBS))' || { echo "no tuning data in $(MIOPEN_DB): set MIOPEN_DB to the" \
	    "folder src/kernels of a checkout of https://github.com/ROCm/MIOpen" >&2; exit 1; }

.PHONY: tables
tables:
	@ls '$(TENSILE_CSV)'/mi100-sgemm-*.csv.bz2 >/dev/null 2>&1 || { echo "no tables of GEMM kernels in" \
	    "$(TENSILE_CSV): set TENSILE_CSV to the folder of those of https://github.com/ROCm/Tensile" \
	    "that the headers of weights/gemm_* name" >&2; exit 1; }

GPU_DAY = $(MAKE) --no-print-directory -C examples/gemm_gpu BUILD='$(abspath $(BUILD))' $(if $(ARCH),ARCH='$(ARCH)') \
    $(if $(MINUTES),MINUTES='$(MINUTES)') $(if $(OUT),DAY='$(abspath $(OUT))')
.PHONY: gpu-day gpu-kit gpu-page
gpu-day: all ## ask the GPU ARCH, or a processor with ARCH=opencl, for MINUTES (8), in the folder OUT: docs/gpu.md
	+@$(GPU_DAY) day
gpu-kit: all ## prepare this folder alone, for a machine that has a driver and no compiler
	+@$(GPU_DAY) kit
gpu-page: all ## compare what was measured in OUT with other ways, and write the figures of docs/gpu.md
	@$(GPU_DAY) peers || echo 'gpu-page: without other ways' >&2
	@python3 tools/lab/report/gpu.py '$(or $(OUT),$(BUILD)/gpu_day/$(ARCH))/results'
