# Postern's commands. `make run` and `make test` work on a fresh Debian machine: they install what is missing.

SHELL := /bin/bash
.DEFAULT_GOAL := help

CONFIGURATION ?= Config/development.yaml
BINARY := .build/release/postern
# How many tests run at once. Swift Testing starts all of them otherwise: hundreds of servers, more files than a process may open.
TEST_WIDTH ?= 12
# Tests are built without it, which takes less time. DEBUG_INFO=dwarf is for debuggers.
DEBUG_INFO ?= none

SWIFT := Sources Tests Benchmarks Migrations Examples Clients/swift Package.swift
# How every release is built. The Swift runtime stands inside the program, so calls of it cost no look-up and servers need no Swift. Generic
# code of one module is specialized in the others, which saves a tenth of a sign-in (Docs/Performance.md).
RELEASE := swift build -c release --static-swift-stdlib -Xswiftc -cross-module-optimization --product
# What releases, the walk-through and the benchmark build with optimization, which takes too long for every change.
PRODUCTS := postern loopback-idp postern-bench CountingMalloc

# What the tests below Clients and Examples need.
CLIENT_TOOLS := nodejs golang-go default-jdk-headless libjackson2-databind-java nginx-light

# What the SAML providers of the tests need. nginx-light and php-cgi come first, so that apt takes them for the web server that
# SimpleSAMLphp depends on, and does not install and start Apache.
SAML_TOOLS := xmlsec1 nginx-light php-cgi php-cli php-xml simplesamlphp

# What the snippets of the documentation need.
SNIPPET_TOOLS := jq openssl
# What the tests of the packages need; systemd has the program that checks units.
PACKAGING_TOOLS := debootstrap buildah jq openssl systemd

# What make test-cluster starts.
CLUSTER_TOOLS := postgresql patroni python3-etcd etcd-server haproxy pgbouncer

.PHONY: help run release provider products test test-cluster test-faults bench site reference screenshots dist deb image packages format lint tools

help: ## Show this list.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: tools ## Build the release binary and serve in development mode on 127.0.0.1:9099.
	$(RELEASE) postern
	$(BINARY) serve --config $(CONFIGURATION)

release: ## Build the release binary, as the container image does.
	$(RELEASE) postern

provider: tools ## Run the loopback identity provider of Docs/WalkThrough.md on 127.0.0.1:9098.
	$(RELEASE) loopback-idp
	.build/release/loopback-idp --port 9098

products: tools ## Compile and link every product of a release, without optimization: the tests' build is shared.
	@option=-debug-info-format; \
		swift build --help-hidden 2>&1 | grep -q -e "$$option" && option="$$option $(DEBUG_INFO)" || option=; \
		for product in $(PRODUCTS); do swift build --product $$product $$option || exit 1; done

test: ## Run every test. Starts a PostgreSQL and browsers of its own, which go when the tests have ended.
	@./.ci/tools postgresql chromium pgbouncer prometheus $(SAML_TOOLS) $(CLIENT_TOOLS) $(SNIPPET_TOOLS) $(PACKAGING_TOOLS)
	@./.ci/python & environments=$$!; option=-debug-info-format; \
		swift build --help-hidden 2>&1 | grep -q -e "$$option" && option="$$option $(DEBUG_INFO)" || option=; \
		swift build --build-tests $$option && wait $$environments
	@width=--experimental-maximum-parallelization-width; \
		swift test --help-hidden 2>&1 | grep -q -e "$$width" && width="$$width $(TEST_WIDTH)" || width=; \
		set -o pipefail; swift test --skip-build $$width 2>&1 | tee .build/test.log || \
		{ printf '\nWhat failed:\n'; grep -E '✘ Test .* recorded an issue|✘ Test .* failed|error:' .build/test.log | tail -20; exit 1; }

test-cluster: ## Break a PostgreSQL cluster below two nodes, as root, and judge what is left (5 minutes; CLUSTER='--minutes 60').
	@./.ci/tools $(CLUSTER_TOOLS)
	$(RELEASE) postern
	/usr/bin/python3 Tests/Cluster/run.py --binary $(BINARY) $(CLUSTER)

test-faults: ## Break store, network and clock below nodes while users sign in, by 10,000 random schedules (an hour; FAULTS='--schedules 100').
	@./.ci/tools postgresql
	@./.ci/python python
	$(RELEASE) postern
	.build/python/bin/python -B Tests/Faults/run.py --binary $(BINARY) --schedules 5000 $(FAULTS)

bench: tools ## Measure a release server against the bare costs of this machine and Docs/Performance.md (10 minutes; BENCH=--quick).
	@Benchmarks/tools.sh
	$(RELEASE) postern
	$(RELEASE) postern-bench
	$(RELEASE) CountingMalloc
	.build/release/postern-bench $(BENCH)
	POSTERN_PLAN_ROWS=1000000 swift test --filter StorageConformanceTests.StatementPlanTests

site: tools ## Build the documentation's site in .build/site/html.
	$(RELEASE) postern
	Tools/site/build $(BINARY)

reference: tools ## Write the tables of settings in Docs/Configuration.md anew.
	$(RELEASE) postern
	Tools/site/reference $(BINARY)

screenshots: tools ## Take the documentation's pictures of pages anew, with Chromium.
	@./.ci/tools chromium
	$(RELEASE) postern
	Tools/site/screenshots $(BINARY)

dist: tools ## Make the release tarball and its checksums in .build/dist.
	$(RELEASE) postern
	Tools/packaging/tarball --binary $(BINARY)

deb: tools ## Make the Debian package in .build/dist.
	$(RELEASE) postern
	Tools/packaging/deb --binary $(BINARY)

image: ## Build the container image, with docker, podman or buildah.
	Tools/packaging/image

packages: ## Make a release and install it as tarball, Debian package and container on a clean Debian, as the tests do with a debug build.
	@./.ci/tools $(PACKAGING_TOOLS)
	$(RELEASE) postern
	Tools/packaging/test --binary $(BINARY)

format: tools ## Format the sources.
	swift format -i -r -p $(SWIFT)

lint: tools ## Check the sources' format.
	swift format lint --strict -r -p $(SWIFT)

tools:
	@./.ci/tools
