# The doors for people who have just arrived; `cargo xtask` is the door for developers.

# rustup tells only login shells where cargo is.
export PATH := $(PATH):$(if $(CARGO_HOME),$(CARGO_HOME),$(HOME)/.cargo)/bin
TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
DEMO_MODEL := models/dve/philosophers_deadlock.dve
DEMO_PROGRAM := models/cpp/philosophers.cc

# Where cargo installs; its programs have no `+` in their names, so one of them is a link.
INSTALL_ROOT = $(or $(PREFIX),$(CARGO_INSTALL_ROOT),$(CARGO_HOME),$(HOME)/.cargo)

.PHONY: help setup demo test bench install
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ': .*## ' '/^[a-z]+:.* ## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what building needs, where the system offers it
	@scripts/setup

demo: setup ## build Dampf and let it find the deadlock of the dining philosophers
	cargo build --release -p dampf
	@echo '$$ dampf check $(DEMO_MODEL)'
	@"$(TARGET_DIR)/release/dampf" check "$(DEMO_MODEL)"; status=$$?; \
	if [ $$status -ne 1 ]; then echo "demo: expected a violation (exit status 1), got exit status $$status" >&2; exit 1; fi
	@if ! command -v riscv64-linux-gnu-g++ >/dev/null; then echo "demo: no cross compiler, so no program is checked"; exit 0; fi; \
	echo; echo '$$ dampf check $(DEMO_PROGRAM)'; \
	"$(TARGET_DIR)/release/dampf" check "$(DEMO_PROGRAM)"; status=$$?; \
	if [ $$status -ne 1 ]; then echo "demo: expected a violation (exit status 1), got exit status $$status" >&2; exit 1; fi

test: setup ## check everything that is checked of a change
	cargo xtask test

bench: setup ## measure speed and memory, against SPIN where it is installed
	cargo xtask bench

install: setup ## install dampf with cargo; PREFIX=/usr/local installs it below there
	cargo install --locked --path crates/dampf $(if $(PREFIX),--root "$(PREFIX)")
	ln -sf dampf-cxx "$(INSTALL_ROOT)/bin/dampf-c++"
