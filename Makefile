# The commands of this repository. `make run` and `make test` need a Swift toolchain and nothing else.

SHELL := /bin/bash
LATCHKEY := .build/release/latchkey
PYTHON := .build/python/bin/python3

.PHONY: run test check bench build prepare lint rules clean

run: build
	@echo
	@echo 'Latchkey starts on 127.0.0.1:7450, its data in ./latchkey-data. Try it from a second terminal, in this folder:'
	@echo
	@echo "  echo '{\"transactionId\":\"1000\",\"productId\":\"lifetime\",\"type\":\"Non-Consumable\",\"purchaseDate\":1767225600000,\"signedDate\":1767225600000}' | $(LATCHKEY) record --customer ana -"
	@echo '  $(LATCHKEY) check ana lifetime'
	@echo '  $(LATCHKEY) explain ana'
	@echo
	@exec $(LATCHKEY) serve

build:
	swift build -c release --product latchkey

# What tests use beside the toolchain, as far as this machine can have it; tests name what is missing and are skipped.
prepare:
	@Tests/prepare

test: prepare build
	swift build -c release --product InstructionCounts
	swift build --build-tests
	@Tests/run

check: lint rules
	swift build --build-tests -Xswiftc -warnings-as-errors

lint:
	swift format lint --strict --recursive Package.swift Sources Tests clients

rules:
	@Tests/house-rules

bench: build
	$(LATCHKEY) bench

clean:
	rm -rf .build
