#:: Doubletake measures a Compose system under load: which tier lost each failed request, and why.
#:: Your own system: in the folder of its Compose file give "<here>/lab/doubletake init", then "run".
#::
#::   make run-<architecture>    measure an architecture once: make run-a, make run-2a LOAD=smoke
#::   make open                  show the last report in the browser, or that of RUN=<folder>
#::   make compare A=a B=2a      measure two in turns, and say whether one is better
#::   make experiment-<id>       answer a question, judge its claims: make experiment-doubling
#::   make list                  the architectures, loads and budgets, and what each is for
#::   make doctor                what this machine lacks for Doubletake; fixed after asking
#::   make help-all              every target and every variable; docs/reference.md says more
#:
#:   make experiment-all        every experiment that has claims, and its findings; says first how long it takes
#:   make swarm-<architecture>  the same as run on the hosts of a Swarm: make swarm-2a HOSTS='host2=ssh://lab@10.0.0.2'
#:   make plan TARGET_RPS=500   how many nodes that rate wants, by the newest experiment-scale; P95_MS=200, RUN=<folder>
#:   make prove                 change one thing at a time in copies: what ends the failures of the last run, or of RUN=<folder>?
#:   make squeeze               slow each service in turns: what does the throughput of the last run, or of RUN=<folder>, depend on?
#:   make report RUN=<run>      analyse and render a run again from its raw record
#:   make findings              the verdicts of all claims in one table, from what was measured; RUN=<folder>
#:   make images                get or build the container images now, not at the first run
#:   make calibrate             measure what a request costs each tier here; runs that need it do so by themselves
#:   make selftest              put known faults in, and see whether the report names them
#:   make bench-overhead        what Doubletake itself costs, against bare Compose and k6
#:   make clean                 remove every container, network and volume of Doubletake
#:
#: For work on Doubletake itself:
#:   make test                  lint, types, unit tests, and runs on real containers; test-swarm: those on several engines alone
#:   make docs                  write what is made from tables: pages of docs/, the root's compose.yaml
#:   make site                  build the site from the documents and the stored experiments, into site/dist
#:   make examples              render the pages of the stored experiments into reports/examples
#:   make replay                analyse all stored records again, and say what the rules of today say otherwise; RUN=<folder>: those below it
#:   make freeze RUN= INTO=     store a small record of a run, with its result, for the tests; of reports/selftest one of each fault
#:   make excerpt RUN= INTO=    copy an experiment without its raw records, to be shared; ARMS= keeps a run of these only
#:   make fuzz                  feed Doubletake damaged records and odd files for an hour; SECONDS=60 SEED=7 ONLY=logs
#:   make mutate                move every constant of the analysis by a fifth, and print those that decide; RUNS=6 SEED=7 ONLY=records
#:
#: Options, with their standard values:
#:   LOAD=         how many users, for how long: a load, such as smoke (12 s), patient, open (mostly ramp, by the scenario, unless given)
#:   BUDGET=       CPU quotas, such as fair (the nodes are the bottleneck), scale (four of them) (none, and an experiment’s own, unless given)
#:   SEED=         of whatever is random; it is recorded (1, and drawn for several runs, unless given)
#:   RATE=         requests a second at the top, or as in 40% so much of what the system serves (1,000, and 300 under LOAD=constant, unless given)
#:   USERS=        users at the top (2,000, as published, unless given)
#:   THINK=        milliseconds that the users think (what the calibration says unless given)
#:   DELAY=0       milliseconds that each node adds to each answer
#:   INTEGRITY=0   1: each document holds the id of its request, so that none can hide
#:   TIMEOUT=      milliseconds that users wait for an answer (60,000 unless given)
#:   RETRIES=0     how often users try a request again that failed, at most
#:   BACKOFF=0     milliseconds before the first retry; users wait a random part of it
#:   RETRY_BUDGET= per cent of its requests that a user may try again (all unless given)
#:   RETRY_AFTER=0 1: users wait as long as an answer says in Retry-After before they try again
#:   FAULT=        break it while it runs, in quotes: FAULT='pause app-1@20s+5s; kill app-2@30s'
#:   GENERATORS=1  processes of k6 that make the load together, each a part of its users
#:   HOSTS=        the other hosts of the Swarm, in quotes: HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'
#:   DASHBOARD=0   1: k6's own page on http://127.0.0.1:5665 while the load runs; it costs k6 CPU each second
#:   EXPECT=       thresholds that a run has to meet, in quotes: EXPECT='failure_rate<0.001,latency_ms_p95_ok<800'
#:   STRICT=0      1: a run ends with 4 where a doubt can move what its thresholds read; without thresholds, where there is any doubt
#:   FAIL_ON=      findings by which a comparison fails: worse, worse:failure_rate, inconclusive, with commas between (worse with BASELINE, and nothing without, unless given)
#:   CAPTURE=0     whether what passes the networks of the run is recorded
#:   REPEATS=      repetitions of a comparison (a verdict takes 8), runs of a fault, further runs at each side of a limit, pairs of the overhead (8, and of a fault or a limit 3, unless given)
#:   STOP=fixed    early: a comparison ends when it is clear, after REPEATS repetitions at most
#:   ARMS=         some arms of an experiment, with commas between, where time is short (all unless given)
#:   RESUME=       folder of an interrupted comparison or experiment, to go on with it
#:   BASELINE=     folder of an earlier comparison, or of several, to compare B with their runs
#:   A=            baseline: an architecture, with options of its own after a colon (a:DELAY=5)
#:   B=            candidate: the same
#:   FAULTS=all    short, or names with commas between; rest: go on with the last one; again: score its runs again
#:   TARGET_RPS=   good requests a second that are to be served
#:   P95_MS=       milliseconds that 95 % of them may take at most (no limit unless given)
#:   WRITE=0       1: of records that moved, result and report are written again
#:   PARTS=0       1: what each part of Doubletake costs too
#:   RUN=          the folder that is read: of a run, an experiment or records
#:   INTO=         the folder that is written; of a frozen record its name
#:   IMAGES=auto   auto: from the registry, or built from packages where none can be reached; or hub, local
#:   BUSY=refuse   refuse: no run on a machine that something else uses; wait: it is waited for a minute, then the run is made and says what is in doubt, as a single run does where nothing is given; allow: the run is made at once, and once
#:   Others are an architecture's own: make list
#: One that changes nothing about what is run is refused, and so is a name that none of them has.
#:
#: On Debian as root a missing Docker Engine is installed (BOOTSTRAP=0: it is not); elsewhere a message says what is missing.

.DEFAULT_GOAL := help
COMMANDS := compare prove squeeze plan list report replay freeze open findings excerpt examples images calibrate bench-overhead doctor clean selftest docs
.PHONY: help help-all run- swarm- experiment- $(COMMANDS) site test test-swarm fuzz mutate

# What is given on the command line make hands on as environment variables by itself. An empty one counts as not given.
# Which names were typed the lab has to know, to refuse one that is none of its own; a make above this one has names of its own.
ifeq ($(MAKELEVEL),0)
export DOUBLETAKE_TYPED := $(MAKEOVERRIDES)
endif

help:
	@sed -n 's|<here>|$(CURDIR)|; s/^#:: \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

help-all:
	@sed -n 's|<here>|$(CURDIR)|; s/^#::\{0,1\} \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

# Without a name make would look for one that its own rules could make.
run- swarm- experiment-:
	@lab/doubletake $(@:-=) ''

run-%:
	@lab/doubletake run $*

swarm-%:
	@lab/doubletake swarm $*

experiment-%:
	@lab/doubletake experiment $*

$(COMMANDS):
	@lab/doubletake $@

site:
	@site/build.sh

test:
	@test/run.sh

test-swarm:
	@test/run.sh swarm

fuzz:
	@test/fuzz/run.sh '$(SECONDS)' '$(SEED)' '$(ONLY)'

mutate:
	@test/mutate/run.sh '$(RUNS)' '$(SEED)' '$(SECONDS)' '$(ONLY)'
