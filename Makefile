# Everything a contributor does has a target here; `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:

BIN := node_modules/.bin
NODE := $(BIN)/node --disable-warning=ExperimentalWarning
HOST := scripts/host
CLUSTER := test/cluster
# Which kubelet is the node of the test cluster: ours or upstream.
KUBELET ?= ours
HOST_DIR := $(or $(KUBELET_TS_HOST_DIR),/var/lib/kubelet-ts-host)
# Where tests and the demo find the private runtimes that `host-up` starts.
export KUBELET_TS_CONTAINERD_2_1 ?= unix://$(HOST_DIR)/instances/2.1/containerd.sock
export KUBELET_TS_CONTAINERD_1_6 ?= unix://$(HOST_DIR)/instances/1.6/containerd.sock

# $(call run_tests,WHAT,FLAGS,FIND ARGUMENTS,SECONDS): runs the test files that `find` finds; none is not an error,
# because `node --test` with a pattern that matches nothing would be one. Limits per test and
# for the run turn a test that never ends, or leaves a socket open, into a failure that names its file.
run_tests = @mapfile -t files < <(find $(3) 2>/dev/null | sort); \
	if [ $${\#files[@]} = 0 ]; then echo "no $(1) tests yet"; \
	else echo "== $(1) tests ($${\#files[@]} files)"; timeout $(4) $(NODE) --import ./test/fixed-seed.ts --test $(2) $(TEST_FLAGS) "$${files[@]}"; fi
# Most code of a test run is called too seldom to be worth compiling well; that takes a processor from the tests themselves.
SHORT_LIVED := --invocation-count-for-maglev=2000 --invocation-count-for-turbofan=20000
# One process for the files in TEST_FILES, each file a suite of its own; its young generation has room for what tests throw away.
IN_ONE_PROCESS = timeout 480 $(NODE) $(SHORT_LIVED) --max-semi-space-size=32 --import ./test/fixed-seed.ts --test-timeout=150000 $(TEST_FLAGS) test/in-one-process.ts
# $(call share_process,WHAT,FIND ARGUMENTS): the same in one process.
share_process = @mapfile -t files < <(find $(2) | sort); echo "== $(1) tests ($${\#files[@]} files)"; \
	TEST_FILES=$$(printf '%s\n' "$${files[@]}") $(IN_ONE_PROCESS)

.PHONY: help
help: ## List the targets
	@echo "usage: make TARGET"
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

.PHONY: install
install: ## Install the pinned Node and the dependencies (quick if nothing changed)
	@sum=$$(cat package.json package-lock.json | sha256sum); \
	if [ "$$sum" = "$$(cat node_modules/.installed 2>/dev/null || true)" ] && [ -x $(BIN)/tsc ]; then exit 0; fi; \
	command -v npm >/dev/null || { echo "npm is missing; install it (Debian: apt-get install npm), then run make again" >&2; exit 1; }; \
	rm -f node_modules/.installed; \
	began=$$SECONDS; echo "installing the dependencies with npm …"; npm install --no-save --no-progress; \
	echo "$$sum" > node_modules/.installed; echo "dependencies installed ($$((SECONDS - began))s)"

# CommonJS: an ES module that uses node:http loads all of Node's fetch with it, and import() loads the rest of its loader.
# Short lines: Node prints the one that failed before the error. Names are short as well: keeping them (--keep-names) gives
# each function an object of properties, 1.5 MiB at rest, made again for each closure; `make stack` reads a trace.
BUNDLE := --bundle --platform=node --format=cjs --target=node24 --minify --supported:dynamic-import=false --line-limit=200 --log-level=warning

.PHONY: build
build: install ## Bundle the kubelet into one file, dist/kubelet.cjs, and compile it beforehand (quick if nothing changed)
	@mkdir -p dist; exec 9>dist/lock; flock 9; $(MAKE) bundle

# One at a time, and only when it is older than what it is made of: kubelets of other lanes run from it. A file that was
# removed makes its directory newer.
.PHONY: bundle
bundle: export PATH := $(CURDIR)/$(BIN):$(PATH)
bundle:
	@[ ! -e dist/built ] || [ -n "$$(find src bin Makefile package-lock.json -newer dist/built -print -quit)" ] || exit 0; \
	rm -f dist/built; touch dist/begun; \
	$(BIN)/esbuild src/main/launch/start.ts src/main/launch/compile.ts $(BUNDLE) --outdir=dist --out-extension:.js=.cjs; \
	$(BIN)/esbuild src/main/main.ts $(BUNDLE) --outfile=dist/kubelet.cjs; \
	KUBELET_TS_DIST=compile bin/kubelet; \
	mv dist/begun dist/built

.PHONY: stack
stack: install ## Files and lines of the sources in a stack trace of a bundle made from this tree (make stack < trace.txt)
	@mkdir -p dist/map; $(BIN)/esbuild src/main/main.ts $(BUNDLE) --sourcemap=external --sources-content=false --outfile=dist/map/kubelet.cjs; \
	$(NODE) scripts/read-stack.ts dist/map/kubelet.cjs.map

# These measure or profile their whole process; all others share one with their neighbours.
LONE_TESTS := test/fuzz/fuzz.test.ts src/server/main-server.test.ts src/server/debug/profile-routes.test.ts
# Hostile masses, seconds each: part of `make test`.
LONG_TESTS := src/server/malformed-requests.test.ts src/adapters/linux/files/remove-large-tree.test.ts
INNER := src/core src/base src/agent src/main

# All at once, as each is one process or two; the output comes in order.
CHECKS := static inner-tests outer-tests lone-tests simulation

.PHONY: check
check: export NODE_COMPILE_CACHE := $(CURDIR)/node_modules/.cache/compiled
check: export TMPDIR = $(shell scripts/temporary-directory.sh)
# The simulation alone can use all processors to its end: others go first, so that none of them is left over at last.
check: export LAST := nice -n 10
check: install ## Types, lint, layers, words, unit and simulation tests; no root, about a minute
	@output=$$(mktemp -d); trap 'rm -r $$output' EXIT; rc=0; declare -A pids; \
	for check in $(CHECKS); do $(MAKE) $$check > $$output/$$check 2>&1 & pids[$$check]=$$!; done; \
	for check in $(CHECKS); do wait $${pids[$$check]} || rc=$$?; cat $$output/$$check; done; exit $$rc

.PHONY: simulation
simulation: install ## The whole agent on virtual time, 1,000 random histories (SEEDS=, SEED=, FIRST=)
	@# Without --test, which would start a process more; the threads load what they need.
	@echo "== simulation tests"; $(LAST) timeout 660 $(NODE) $(SHORT_LIVED) --test-timeout=600000 $(TEST_FLAGS) test/simulation/simulation.test.ts

.PHONY: oracle
oracle: install ## Our protobuf code beside protobufjs, 10,000 random messages, new ones each run (CASES=, PROPERTY_SEED=)
	@seed=$(or $(PROPERTY_SEED),$$RANDOM); echo "PROPERTY_SEED=$$seed"; CASES=$(or $(CASES),10000) PROPERTY_SEED=$$seed timeout 300 $(NODE) --import ./test/fixed-seed.ts --test test/oracle/protobuf.test.ts

.PHONY: resource-oracle
resource-oracle: install ## Our CPU, memory and topology assignment beside upstream's packages, 500 histories on 6 machines (CASES=, SEED=)
	@$(CLUSTER)/build.sh resource-oracle
	@RESOURCE_ORACLE="$(HOST_DIR)/bin/kubernetes-1.36.4/resource-oracle" CASES=$(or $(CASES),500) SEED=$(or $(SEED),1) timeout 1800 $(NODE) --test test/resource-oracle/resource-oracle.test.ts

.PHONY: properties
properties: install ## No CPU, memory or device twice, best hints, the same after a restart: 10,000 random cases of each (CASES=)
	@CASES=$(or $(CASES),10000) TEST_FILES=$$(ls src/core/{cpus,numa-memory,topology}/*.property.test.ts src/agent/devices/*.property.test.ts) \
		timeout 3600 $(NODE) --import ./test/fixed-seed.ts $(TEST_FLAGS) test/in-one-process.ts

.PHONY: fuzz
fuzz: install ## Every parser on random inputs, or one: TARGET=, RUNS=1000000, SEED=1, FIRST=0 (an hour or more)
	@RUNS=$(or $(RUNS),1000000) SEED=$(or $(SEED),1) FIRST=$(or $(FIRST),0) $(NODE) test/fuzz/fuzz.ts $(TARGET)

.PHONY: static
static: install ## Types, lint, layers, words, bags and generated code: what needs no run
	@echo "== types"; $(BIN)/tsc -p . --incremental --tsBuildInfoFile node_modules/.cache/types.json
	@echo "== lint"; $(NODE) scripts/lint.ts
	@echo "== layers"; $(NODE) scripts/check-layers.ts
	@echo "== words"; $(NODE) scripts/check-words.ts
	@echo "== bags"; $(NODE) scripts/check-bags.ts
	@echo "== generated code"; $(NODE) scripts/generate-proto.ts --check

.PHONY: inner-tests
inner-tests:
	$(call share_process,core and agent,$(INNER) test/simulation -name '*.test.ts' -not -name simulation.test.ts)

.PHONY: outer-tests
outer-tests:
	$(call share_process,adapter and server,src scripts test bench -name '*.test.ts' $(foreach room,$(INNER) test/simulation test/integration test/cluster/live test/vm/suite test/vm/drive,-not -path '$(room)/*') $(LONE_TESTS:%=-not -path %) $(LONG_TESTS:%=-not -path %) -not -path 'test/contract/*containerd*')

# $(call run_alone,WHAT,FILES): a process for each, one after the other.
run_alone = @echo "== $(1) tests ($(words $(2)) files)"; rc=0; for file in $(2); do TEST_FILES=$$file $(IN_ONE_PROCESS) || rc=1; done; exit $$rc

.PHONY: lone-tests
lone-tests:
	$(call run_alone,lone,$(LONE_TESTS))

.PHONY: long-tests
long-tests: install ## Ten thousand malformed requests, directories nested ten thousand deep
	$(call run_alone,long,$(LONG_TESTS))

.PHONY: integration
integration: build host-up prometheus message-bus chromium ## Tests against real containerd 2.1 and 1.6 (root)
	$(call run_tests,integration,--test-concurrency=1 --test-timeout=600000,test -path 'test/integration/*.test.ts' -o -path 'test/contract/*containerd*.test.ts',3000)

.PHONY: test
test: host-up prometheus message-bus chromium ## Everything: check, integration, live tests and quick conformance on a cluster, quick node tests, a virtual machine, the demo once
	@test/everything.sh
	@$(MAKE) demo ONCE=1

.PHONY: demo
demo: build ## Run pods with a real kubelet on a private containerd (root); ONCE=1 ends by itself
	@endpoint=$$($(HOST)/containerd.sh up 2.1 demo); \
	KUBELET_TS_DEMO_ENDPOINT=$$endpoint ONCE=$(ONCE) $(NODE) scripts/demo/demo.ts

.PHONY: dist
dist: build ## A release in dist/release: one-file kubelet, .deb, archive, SBOM, checksums (ARCHITECTURES='x64 arm64')
	@$(NODE) scripts/dist/release.ts $(ARCHITECTURES)

OWN_ARCHITECTURE = $(shell uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')

# Built twice, with another umask, time zone and temporary directory; then on a clean Debian.
.PHONY: dist-test
dist-test: build ## That building a release twice gives the same bytes; its package installed, upgraded, removed (root)
	@$(HOST)/install.sh 2.1
	@work=$$(mktemp -d); trap 'rm -r $$work; $(HOST)/containerd.sh down 2.1 dist --purge' EXIT; mkdir -m 700 $$work/tmp; \
	$(NODE) scripts/dist/release.ts --output=$$work/first $(OWN_ARCHITECTURE); \
	(umask 077; TZ=Pacific/Auckland TMPDIR=$$work/tmp $(NODE) scripts/dist/release.ts --output=$$work/second $(OWN_ARCHITECTURE) >/dev/null); \
	diff -r $$work/first $$work/second; echo "[dist] built twice: the same bytes"; (cd $$work/first; sha256sum --quiet -c SHA256SUMS); \
	KUBELET_TS_CONTAINERD_2_1=$$($(HOST)/containerd.sh up 2.1 dist) KUBELET_TS_PACKAGE=$$(echo $$work/first/*.deb) \
		timeout 900 $(NODE) --test $(TEST_FLAGS) test/package/package.ts

.PHONY: fmt
fmt: install ## Format the sources and fix what the linter can
	@$(BIN)/biome check --write .

.PHONY: message-bus
message-bus: ## Install the message bus that tests of a machine's shutdown use (root)
	@$(HOST)/message-bus.sh

.PHONY: chromium
chromium: ## Install the browser in which tests look at the page (root)
	@$(HOST)/chromium.sh

.PHONY: page-screenshots
page-screenshots: build chromium ## Take the pictures of the page in docs/page, of a real node (root)
	@endpoint=$$($(HOST)/containerd.sh up 2.1); KUBELET_TS_CONTAINERD_2_1=$$endpoint $(NODE) test/integration/page-screenshots.ts

.PHONY: terminal-pictures
terminal-pictures: build ## Make the pictures of the terminal in docs/terminal, of a real node (root)
	@endpoint=$$($(HOST)/containerd.sh up 2.1); KUBELET_TS_CONTAINERD_2_1=$$endpoint $(NODE) test/integration/terminal-pictures.ts

.PHONY: prometheus
prometheus: ## Unpack Prometheus and promtool, which check our metrics (root)
	@$(HOST)/prometheus.sh >/dev/null

.PHONY: host-up
host-up: install ## Set up the test host: programs, private containerd 2.1 and 1.6, images (root)
	@$(HOST)/install.sh
	@$(HOST)/runc.sh --fetch-go || true
	@$(HOST)/containerd.sh up 2.1
	@$(HOST)/containerd.sh up 1.6

.PHONY: cluster-up
cluster-up: build ## A real control plane with our kubelet (or KUBELET=upstream) as its node (root)
	@$(CLUSTER)/control-plane.sh up >/dev/null
	@$(CLUSTER)/kubelet.sh up $(KUBELET)
	@$(CLUSTER)/kubelet.sh hint

.PHONY: cluster-down
cluster-down: ## Remove the test cluster with its pods, mounts and network; keep the programs
	@$(CLUSTER)/kubelet.sh down cluster
	@$(CLUSTER)/kubelet.sh down standalone
	@$(CLUSTER)/control-plane.sh down

.PHONY: cluster-test
cluster-test: cluster-up ## Live tests of our kubelet as the cluster's node (root)
	@$(CLUSTER)/live.sh

.PHONY: device-kills
device-kills: cluster-up ## Upstream's sample device plugin through 20 kills of kubelet, plugin and both; three minutes (root)
	@$(CLUSTER)/live.sh $(CLUSTER)/live/device-kills.ts

.PHONY: conformance
conformance: cluster-up ## Upstream NodeConformance on the cluster's node: FOCUS=REGEX, QUICK=1, KUBELET=upstream
	@$(CLUSTER)/conformance.sh $(KUBELET)

.PHONY: node-e2e
node-e2e: build ## Upstream's own tests of a kubelet, on a private containerd: QUICK=1, FOCUS=REGEX, SKIP=REGEX, KUBELET=upstream (root)
	@test/node-e2e/node-e2e.sh $(KUBELET)

.PHONY: cluster-kubeadm
cluster-kubeadm: build ## A cluster that kubeadm makes, joins, upgrades and resets, on two machines made of namespaces: KUBELET=upstream|both (root)
	@test/kubeadm/kubeadm.sh $(KUBELET)

.PHONY: switch-test
switch-test: build upstream-kubelet ## Change the kubelet of a node with pinned CPUs and devices for upstream's, there and back (root)
	@$(HOST)/containerd.sh up 2.1 >/dev/null
	$(call run_tests,switch,--test-timeout=600000,test/cluster -name switch-kubelets.ts,700)

.PHONY: vm-test
vm-test: build ## Tests in a virtual machine with systemd and cgroup v2: QUICK=1, FILES=, DRIVERS=, VM_TIMEOUT=SECONDS (root)
	@test/vm/vm.sh test $(or $(FILES),$(if $(QUICK),test/vm/suite/quick.test.ts))

.PHONY: vm-shutdown
vm-shutdown: build ## Graceful shutdowns of that machine as a node: reboot, called off, power-off (root)
	@test/vm/vm.sh drive test/vm/drive/node-shutdown.test.ts

.PHONY: vm-power-cuts
vm-power-cuts: build ## Cuts the power of that machine as a busy node, at random moments: CUTS=5, SEED= (root)
	@test/vm/vm.sh drive test/vm/drive/power-cuts.test.ts

.PHONY: vm-node-e2e
vm-node-e2e: build ## Upstream's tests of a kubelet that want systemd or cgroup v2, in that machine: FOCUS=REGEX, SKIP=REGEX, DRIVER=, KUBELET=upstream (root)
	@test/vm/node-e2e.sh $(KUBELET)

.PHONY: vm-shell
vm-shell: build ## A root shell in that machine, with this tree in /payload/tree (root)
	@test/vm/vm.sh shell

.PHONY: bench
bench: build upstream-kubelet ## Ours beside the upstream kubelet, written to docs/bench: BENCH_PODS=30,100,250, BENCH_ROUNDS=5, BENCH_CHURN_MINUTES=60, ONLY=one,burst (root, hours)
	@$(call run_bench,--output=docs/bench)

.PHONY: bench-quick
bench-quick: build upstream-kubelet ## A small part of it, only printed, in six minutes: what a change is judged by (root)
	@$(call run_bench,--quick)

.PHONY: bench-page
bench-page: build chromium ## The page with 100 pods: first paint, and what it costs open and closed (root)
	@endpoint=$$($(HOST)/containerd.sh up 2.1); KUBELET_TS_CONTAINERD_2_1=$$endpoint $(NODE) bench/page.ts

# $(call run_bench,OPTIONS): one control plane and one containerd for all turns; ours first, as the cluster needs a node.
run_bench = $(CLUSTER)/control-plane.sh up >/dev/null; \
	trap 'rc=$$?; $(MAKE) cluster-down || rc=1; exit $$rc' EXIT; \
	$(CLUSTER)/kubelet.sh up ours; $(CLUSTER)/live.sh --script bench/bench.ts $(1)

.PHONY: upstream-kubelet
upstream-kubelet: ## Build the upstream kubelet, our peer in benchmarks
	@$(CLUSTER)/build.sh kubelet

.PHONY: host-down
host-down: cluster-down ## Remove the private containerds with their pods and networks; keep the programs
	@test/node-e2e/node-e2e.sh clean
	@test/kubeadm/kubeadm.sh clean
	@$(HOST)/clean.sh --keep-programs

.PHONY: clean-host
clean-host: cluster-down ## Remove everything that host-up made
	@test/node-e2e/node-e2e.sh clean
	@test/kubeadm/kubeadm.sh clean
	@$(HOST)/clean.sh

.PHONY: clean
clean: ## Remove what was installed and built in this directory
	rm -rf node_modules dist
