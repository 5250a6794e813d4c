#: Doubletake: a scaling lab in Docker. Which tier lost each failed request, and why.
#:
#:   make run-<architecture>   measure it under one load, once: make run-a, make run-2a LOAD=smoke
#:   make swarm-<architecture> the same on the hosts of a Swarm: make swarm-2a HOSTS='host2=ssh://lab@10.0.0.2'
#:   make compare A=a B=2a     measure two in turns, and say whether one is better
#:   make experiment-<id>      answer a question, judge its claims: make experiment-doubling
#:   make experiment-all       every one that has claims, and its findings; says first how long it takes
#:   make plan TARGET_RPS=500  how many nodes that rate wants, by the newest experiment-scale; P95_MS=200, RUN=<folder>
#:   make list                 the architectures, loads and budgets, and what each is for
#:   make report RUN=<run>     analyse and render a run again from its raw record
#:   make replay               analyse all stored records again, and say what the rules of today say otherwise; RUN=<folder>: those below it
#:   make freeze RUN= INTO=    store a small record of a run, with its result, for the tests; of reports/selftest one of each fault
#:   make open                 show the last report in the browser, or that of RUN=<folder>
#:   make findings             the verdicts of all claims in one table, from what was measured; RUN=<folder>
#:   make excerpt RUN= INTO=   copy an experiment without its raw records, to be shared; ARMS= keeps a run of these only
#:   make examples             render the pages of the stored experiments into reports/examples
#:   make images               get or build the container images now, not at the first run
#:   make calibrate            measure what a request costs each tier here; runs that need it do so by themselves
#:   make bench-overhead       what the lab itself costs, against bare Compose and k6
#:   make doctor               what this machine lacks for the lab; fixed after asking
#:   make clean                remove every container, network and volume of the lab
#:   make selftest             put known faults in, and see whether the ledger names them
#:   make site                 build the site from the documents and the stored experiments, into site/dist
#:   make docs                 write what is made from the lab's tables: pages of docs/, the root's compose.yaml
#:   make test                 lint, types, unit tests, and runs on real containers; test-swarm: those on several engines alone
#:
#: Variables, with their defaults:
#:   LOAD=ramp     the published 80 s ramp; or patient (the same users, who think), smoke (12 s), open and more: make list
#:   BUDGET=none   no CPU quotas, as published; or fair (the nodes are the bottleneck), scale (four of them), database
#:   IMAGES=auto   pull, else build from packages; or hub, local
#:   SEED=         of whatever is random; drawn and recorded unless given
#:   RATE=1000     requests a second at the top of LOAD=open, surge and constant; RATE=40%: of what one node serves here
#:   INTEGRITY=0   1: every request carries an id that is stored with its document, so that none can hide
#:   DASHBOARD=0   1: k6's own page on http://127.0.0.1:5665 while the load runs; it costs k6 CPU each second
#:   THINK=        milliseconds that the users of LOAD=patient think, instead of what the calibration says
#:   DELAY=0       milliseconds that each node adds to each answer
#:   BUSY=refuse   no run on a machine that something else uses; or allow: the run is made, once, and is SUSPECT
#:   REPEATS=8     blocks of a comparison or an experiment; fewer give no verdict
#:   ARMS=         some arms of an experiment, with commas between, where time is short
#:   RESUME=       folder of an interrupted comparison or experiment, to go on with it
#:   BASELINE=     folder of an earlier one, to compare B with its runs
#:   TARGET_RPS=   good requests a second, and P95_MS= milliseconds that 95 % of them may take: for make plan
#:   EXPECT=       thresholds for a run, in quotes: EXPECT='failure_rate<0.001,latency_ms_p95_ok<800'
#:   RETRIES=0     how often users try again what failed; with BACKOFF= (ms), RETRY_BUDGET= (per cent), RETRY_AFTER=1
#:   TIMEOUT=60000 milliseconds that users wait for an answer
#:   GENERATORS=1  processes of k6 that make the load together; USERS=2000 at the top of LOAD=ramp, smoke and plateaus
#:   HOSTS=        of a Swarm, and where their engines answer: HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'
#:   FAULT=        break it while it runs, in quotes: FAULT='kill app-2@30s+5s; pause mongo@55s+3s'
#:   FAULTS=all    for make selftest, three runs of each (REPEATS=3); or short, names with commas between, rest: go on
#:                 with the last one, or again: score its runs again after a rule was changed
#:   WRITE=0       for make replay, 1: result and report of what moved are written again
#:   WORKERS=, THREADS=, VARIANT= and others are an architecture's own: make list
#:   One that changes nothing about what is run is refused.
#:
#: On Debian as root a missing Docker Engine is installed (BOOTSTRAP=0: it is not); elsewhere the lab says what is missing.

.DEFAULT_GOAL := help
.PHONY: help run- swarm- experiment- compare plan list report replay freeze open findings excerpt examples images calibrate bench-overhead doctor clean selftest site docs test test-swarm

# What is given on the command line make hands on as environment variables by itself. An empty one counts as not given.
# Which names were typed the lab has to know, to refuse one that is none of its own; a make above this one has names of its own.
ifeq ($(MAKELEVEL),0)
export DOUBLETAKE_TYPED := $(MAKEOVERRIDES)
endif

help:
	@sed -n 's/^#: \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

# Without a name make would look for one that its own rules could make.
run- swarm- experiment-:
	@lab/doubletake $(@:-=) ''

run-%:
	@lab/doubletake run $*

swarm-%:
	@lab/doubletake swarm $*

compare:
	@lab/doubletake compare

experiment-%:
	@lab/doubletake experiment $*

plan:
	@lab/doubletake plan $(RUN)

list:
	@lab/doubletake list

doctor:
	@lab/doubletake doctor

report:
	@lab/doubletake report $(RUN)

replay:
	@lab/doubletake replay $(RUN)

freeze:
	@lab/doubletake freeze $(RUN) $(INTO)

open:
	@lab/doubletake open $(RUN)

findings:
	@lab/doubletake findings $(RUN)

excerpt:
	@lab/doubletake excerpt $(RUN) $(INTO)

examples:
	@lab/doubletake examples

images:
	@lab/doubletake images

calibrate:
	@lab/doubletake calibrate

bench-overhead:
	@lab/doubletake bench-overhead

clean:
	@lab/doubletake clean

selftest:
	@lab/doubletake selftest

site:
	@site/build.sh

docs:
	@lab/doubletake docs

test:
	@test/run.sh

test-swarm:
	@test/run.sh swarm
