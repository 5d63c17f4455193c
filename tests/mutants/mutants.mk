# mutants.mk - targets that ask whether the tests are good. The Makefile includes it.
# SPDX-License-Identifier: MIT

# In build/mutants; it goes on where it ended.
.PHONY: mutants
mutants: $(if $(TOOLS),all) ## which of 300 small changes of headers tests notice; an hour. TOOLS=1: 120 of tools
	@CC='$(CC)' JOBS='$(JOBS)' python3 tests/mutants/$(if $(TOOLS),tools.py $(BUILD),run.py $(BUILD)/mutants --jobs $(JOBS))

.PHONY: coverage
coverage: ## lines and branches of the headers that tests reach. TOOLS=1: of the tools
	@python3 tests/mutants/coverage.py $(BUILD)/coverage $(if $(TOOLS),--tools $(SUITES))

.PHONY: breaks
breaks: all ## put 45 faults in, one by one, and see that the suite meant for each fails; an hour
	@CC='$(CC)' JOBS='$(JOBS)' python3 tests/mutants/breaks.py $(BUILD)
