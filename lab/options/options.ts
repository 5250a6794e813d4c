/**
 * The options: everything that can be given to a command, as `make run-2a LOAD=smoke`, `doubletake run 2a --load smoke` or
 * `LOAD=smoke doubletake run 2a`. One row each, and nothing of them is said a second time: settings, refusals, the command that repeats a
 * run, the reference, the help and the completion of shells read it here. It imports none of them.
 */

import type { Kind } from '../base/format-command.ts';
import { CORES, choice, integer, kindOf, RATE, SWITCH, TEXT, textOf } from '../base/format-command.ts';
import type { Variable } from '../base/variable.ts';
import { architectures, scenarioOf } from '../catalog/architectures.ts';
import { budgets } from '../catalog/budgets.ts';
import { LOAD_DEFAULTS, THINK_MOST_MS } from '../catalog/project-schema.ts';
import { LISTED, scenarios } from '../catalog/scenarios.ts';
import { formatHosts, readExpect, readFailOn, readHosts } from './expect.ts';
import { formatFaults, readFaults } from './fault-plan.ts';

export type Option = {
	kind: Kind;
	scope: Scope;
	/** as it would be given; missing where it depends, which `otherwise` says */
	standard?: string;
	/** in words, before "unless given" */
	otherwise?: string | null;
	/** in a line; backquotes stand for code */
	help: string;
	/** what the reference says after it */
	more?: string;
	/** its value in the settings of a run, none where it is null; what they have by its name unless given */
	of?: (settings: any) => any;
};

/** what takes it */
export type Scope = {
	/** about systems, or about records */
	commands: readonly Command[];
	/** whose systems take it; all unless given */
	scenarios?: readonly string[];
	/** that have it of their own */
	systems?: readonly string[];
	/** under which it has an effect; all unless given */
	loads?: readonly string[];
	/** what the other loads have in its place, after "because LOAD=... " */
	unlike?: string;
	/** another option without which it has none */
	besides?: string;
	/** condition: a run that is compared with another has to have the same. arm: so it is, and two arms may differ in it */
	differs?: 'condition' | 'arm';
	/** a shell or a job sets it once for all its commands, so that it is refused nowhere */
	isOfMachine?: boolean;
	/** by scenario: what of all that is otherwise about its systems */
	at?: Record<string, Otherwise>;
};

export type Otherwise = {
	/** none: its systems do not take it */
	commands: readonly Command[];
	/** as of all unless given; so are the others */
	kind?: Kind;
	standard?: string;
	/** null: there is none */
	otherwise?: string | null;
	help?: string;
	loads?: readonly string[];
	/** of the loads that take it, which want it given: a clause, and what to do */
	needed?: { because: string; add: (load: string) => string };
	of?: (settings: any) => any;
	/** where their doubletake.yaml has the same */
	as?: string;
};

export type Command =
	| 'init'
	| 'run'
	| 'limit'
	| 'swarm'
	| 'compare'
	| 'experiment'
	| 'experiment all'
	| 'kubernetes'
	| 'selftest'
	| 'bench-overhead'
	| 'plan'
	| 'replay'
	| 'freeze'
	| 'typical'
	| 'excerpt'
	| 'report'
	| 'findings'
	| 'open'
	| 'export'
	| 'images'
	| 'calibrate';

/** Each generator prepares its part of the users in a memory of its own; more fit no machine that the lab was tried on. */
const GENERATORS_MOST = 8;
/** Each fills its 3 GiB (compose/base.yaml) with so many: 2,000 take 0.8 GiB, measured. With room. */
export const USERS_EACH_MOST = 5000;
/** Of fewer the first stage would have none. */
const USERS_LEAST = 20;
const SEED_MOST = 2 ** 31 - 1;
const DELAY_MOST_MS = 60_000;
const MS = 'milliseconds';
const TIMEOUT_MOST_MS = 60_000;
const RETRIES_MOST = 100;
const BACKOFF_MOST_MS = 10_000;
/** Blocks, runs or pairs; a hundred blocks take a day. */
export const REPEATS_MOST = 100;
const TARGET_RPS_MOST = 10_000_000;
const P95_MOST_MS = 600_000;

const IDS = Object.keys(architectures);
const LOADS = [...new Set(Object.values(scenarios).flatMap(({ loads }) => Object.keys(loads)))];

const MEASURING: Command[] = ['run', 'swarm', 'compare', 'experiment'];
/** All that need a quiet machine. */
const RUNNING: Command[] = [...MEASURING, 'selftest', 'bench-overhead', 'calibrate'];
const OF_PROJECT: Command[] = ['run', 'limit', 'swarm', 'compare', 'experiment', 'selftest', 'bench-overhead'];
/** Those that measure it as it is, under the load that is asked for. */
const PROJECT_MEASURING: Command[] = ['run', 'swarm', 'compare'];
/** Those under whatever load. */
const PROJECT_LOADING: Command[] = [...PROJECT_MEASURING, 'limit'];
/** With a number of users at the top, who think. */
const PROJECT_CLOSED = ['steps', 'brief', 'hold', 'ramp', 'smoke', 'plateaus'];
const OF_RECORDS: Command[] = ['report', 'replay', 'freeze', 'open', 'findings', 'excerpt', 'plan', 'export'];
const DOCUMENTS = ['documents'];
/** Whose nodes are the lab's own, and can wait. */
const WITH_NODES = Object.keys(scenarios).filter((id) => scenarios[id].delayed);
/** Of shipped architectures, all but programs that make their load themselves. */
const GENERATED = [...new Set(IDS.map(scenarioOf))].filter((id) => scenarios[id].driver === 'k6');
/** What users do. */
const OF_CLIENT: Scope = { commands: MEASURING, scenarios: DOCUMENTS, differs: 'arm', at: listed(PROJECT_LOADING) };

/** Of systems whose doubletake.yaml lists their requests. */
function listed(commands: readonly Command[], others: Omit<Otherwise, 'commands'> = {}) {
	return { [LISTED]: { commands, ...others } };
}

export const aboutVariable = ({ about, standard, choices, range: [least, most] = [0, 0] }: Variable) =>
	`${about} (${choices ? choices.join(', ') : `${least} to ${most}`}; ${standard} unless given)`;

const ofArchitecture: (name: string, variable: Variable) => Omit<Option, 'scope'> = (name, variable) => ({
	kind: kindOf(variable),
	standard: variable.standard,
	help: aboutVariable(variable),
	of: ({ variables = {} }) => variables[name],
});

export const OPTIONS: Record<string, Option> = {
	LOAD: {
		kind: textOf(LOADS),
		scope: {
			commands: [...MEASURING, 'experiment all', 'kubernetes', 'bench-overhead'],
			differs: 'condition',
			at: listed(PROJECT_MEASURING, {
				kind: choice(Object.keys(scenarios[LISTED].loads)),
				as: 'load.shape',
				otherwise: '`steps`',
				help: `how many users, for how long: ${Object.keys(scenarios[LISTED].loads).join(', ')}`,
			}),
		},
		otherwise: 'mostly `ramp`, by the scenario,',
		help: 'how many users, for how long: a load, such as smoke (12 s), patient, open',
		more: 'as listed below',
		of: ({ load }) => load || null,
	},
	BUDGET: {
		kind: choice(Object.keys(budgets)),
		scope: {
			commands: [...MEASURING, 'selftest', 'bench-overhead'],
			differs: 'arm',
			at: listed([...PROJECT_LOADING, 'experiment'], {
				kind: CORES,
				of: ({ cores }) => cores,
				otherwise: 'what the Compose file says',
				help: "cores for each container of a service, as in `BUDGET='api=0.5,db=1'`",
			}),
		},
		otherwise: '`none`, and an experiment’s own,',
		help: 'CPU quotas, such as fair (the nodes are the bottleneck), scale (four of them)',
		more: "as listed below; of your own system cores for each container of a service, as in `BUDGET='api=0.5,db=1'`",
	},
	SEED: {
		kind: integer(0, SEED_MOST),
		scope: { commands: [...MEASURING, 'experiment all', 'kubernetes'], at: listed(OF_PROJECT) },
		otherwise: '1, and drawn for several runs,',
		help: 'of whatever is random; it is recorded',
	},
	RATE: {
		kind: RATE,
		scope: {
			commands: [...MEASURING, 'kubernetes'],
			scenarios: DOCUMENTS,
			loads: ['open', 'surge', 'constant'],
			unlike: 'has no rate to be set',
			differs: 'condition',
			at: listed(PROJECT_LOADING, {
				otherwise: null,
				help: 'requests a second at the top, which open, surge and constant need, or as in 40% so much of what the system serves',
				needed: {
					because: 'nobody knows what your system is to be asked for',
					add: (load) => `add the requests a second at the top, as in RATE=50 LOAD=${load}, or RATE=40% of what a run of it served.`,
				},
			}),
		},
		otherwise: '1,000, and 300 under LOAD=constant,',
		help: 'requests a second at the top, or as in 40% so much of what the system serves',
		more: 'of a limit the first level; of a share: of several systems the first, when it is full, measured before; of your own system what its newest VALID run under users gave, and without a standard',
		of: ({ rate = null, rate_share: share = null }) => (rate === null && share === null ? null : { rate, rate_share: share }),
	},
	USERS: {
		kind: integer(USERS_LEAST, USERS_EACH_MOST * GENERATORS_MOST),
		scope: {
			commands: [...MEASURING, 'kubernetes'],
			scenarios: DOCUMENTS,
			loads: ['ramp', 'smoke', 'plateaus', 'hold'],
			unlike: 'has users of its own',
			differs: 'condition',
			at: listed(PROJECT_LOADING, {
				kind: integer(1, USERS_EACH_MOST * GENERATORS_MOST),
				loads: PROJECT_CLOSED,
				as: 'load.users',
				otherwise: String(LOAD_DEFAULTS.users),
			}),
		},
		otherwise: '2,000, as published,',
		help: 'users at the top',
		more: 'of a limit the first level',
	},
	THINK: {
		kind: integer(1, THINK_MOST_MS, MS),
		scope: {
			commands: [...MEASURING, 'bench-overhead'],
			scenarios: DOCUMENTS,
			loads: ['patient'],
			unlike: 'has its own',
			differs: 'condition',
			at: listed(PROJECT_LOADING, {
				kind: integer(0, THINK_MOST_MS, MS),
				loads: PROJECT_CLOSED,
				as: 'load.think_ms',
				otherwise: LOAD_DEFAULTS.think_ms.toLocaleString('en-US'),
			}),
		},
		otherwise: 'what the calibration says',
		help: 'milliseconds that the users think',
	},
	DELAY: {
		kind: integer(0, DELAY_MOST_MS, MS),
		scope: { commands: MEASURING, scenarios: WITH_NODES, differs: 'arm', at: listed([]) },
		standard: '0',
		help: 'milliseconds that each node adds to each answer',
	},
	INTEGRITY: {
		kind: SWITCH,
		scope: {
			commands: [...MEASURING, 'bench-overhead'],
			scenarios: DOCUMENTS,
			differs: 'arm',
			at: listed([...PROJECT_MEASURING, 'experiment'], {
				help: '1: what users were told is compared with what is stored, as integrity in doubletake.yaml says',
			}),
		},
		standard: '0',
		help: '1: each document holds the id of its request, so that none can hide',
		more: 'lost, ghost and duplicated writes are told by id; of your own system as `integrity` in doubletake.yaml says',
	},
	TIMEOUT: {
		kind: integer(1, TIMEOUT_MOST_MS, MS),
		scope: OF_CLIENT,
		otherwise: '60,000',
		help: 'milliseconds that users wait for an answer',
		of: ({ client }) => client?.timeout_ms,
	},
	RETRIES: {
		kind: integer(0, RETRIES_MOST),
		scope: OF_CLIENT,
		standard: '0',
		help: 'how often users try a request again that failed, at most',
		of: ({ client }) => client?.retries,
	},
	BACKOFF: {
		kind: integer(0, BACKOFF_MOST_MS, MS),
		scope: { ...OF_CLIENT, besides: 'RETRIES' },
		standard: '0',
		help: 'milliseconds before the first retry; users wait a random part of it',
		more: 'twice as long for each further one; 0: at once',
		of: ({ client }) => client?.backoff_ms,
	},
	RETRY_BUDGET: {
		kind: integer(1, 100),
		scope: { ...OF_CLIENT, besides: 'RETRIES' },
		otherwise: 'all',
		help: 'per cent of its requests that a user may try again',
		of: ({ client }) => client?.budget_percent,
	},
	RETRY_AFTER: {
		kind: SWITCH,
		scope: { ...OF_CLIENT, besides: 'RETRIES' },
		standard: '0',
		help: '1: users wait as long as an answer says in Retry-After before they try again',
		of: ({ client }) => client?.retry_after,
	},
	FAULT: {
		kind: { parse: (_, text) => readFaults(text), format: formatFaults },
		scope: { commands: MEASURING, scenarios: GENERATED, differs: 'arm', at: listed(['run', 'swarm']) },
		help: "break it while it runs, in quotes: `FAULT='pause app-1@20s+5s; kill app-2@30s'`",
		more: 'the forms are listed below',
		of: ({ faults }) => (faults.length > 0 ? faults : null),
	},
	GENERATORS: {
		kind: integer(1, GENERATORS_MOST),
		scope: { commands: [...MEASURING, 'kubernetes'], scenarios: DOCUMENTS, differs: 'condition', at: listed(PROJECT_LOADING) },
		standard: '1',
		help: 'processes of k6 that make the load together, each a part of its users',
	},
	HOSTS: {
		kind: { parse: (_, text) => readHosts(text), format: formatHosts },
		scope: { commands: ['swarm'], differs: 'condition' },
		help: "the other hosts of the Swarm, in quotes: `HOSTS='host2=ssh://lab@10.0.0.2 host3=ssh://lab@10.0.0.3'`",
		more: 'each with where its engine answers',
		of: ({ hosts = [] }) => (hosts.length > 0 ? hosts : null),
	},
	DASHBOARD: {
		kind: SWITCH,
		scope: { commands: ['run'], at: listed(['run']) },
		standard: '0',
		help: "1: k6's own page on http://127.0.0.1:5665 while the load runs; it costs k6 CPU each second",
		more: 'and its own report beside Doubletake’s',
	},
	EXPECT: {
		kind: { parse: (_, text) => readExpect(text) },
		scope: { commands: ['run', 'swarm', 'report'], at: listed(['run', 'limit', 'swarm']) },
		help: "thresholds that a run has to meet, in quotes: `EXPECT='failure_rate<0.001,latency_ms_p95_ok<800'`",
	},
	STRICT: {
		kind: SWITCH,
		scope: { commands: ['run', 'swarm', 'report'], at: listed(['run', 'swarm']) },
		standard: '0',
		help: '1: a run ends with 4 where a doubt can move what its thresholds read; without thresholds, where there is any doubt',
	},
	FAIL_ON: {
		kind: { parse: (_, text) => readFailOn(text), isList: true },
		scope: { commands: ['compare', 'report'], at: listed(['compare']) },
		otherwise: '`worse` with `BASELINE`, and nothing without,',
		help: 'findings by which a comparison fails: `worse`, `worse:failure_rate`, `inconclusive`, with commas between',
		more: 'a comparison ends with 5 where a metric is worse, and with 6 where its verdict is INCONCLUSIVE',
	},
	CAPTURE: {
		kind: SWITCH,
		scope: {
			commands: ['run', 'compare', 'experiment', 'bench-overhead'],
			at: listed(['run', 'limit', 'compare', 'experiment', 'bench-overhead'], { standard: '1', as: 'capture', otherwise: '1' }),
		},
		standard: '0',
		help: 'whether what passes the networks of the run is recorded',
		more: 'of the overhead, what that alone costs',
	},
	REPEATS: {
		kind: integer(1, REPEATS_MOST),
		scope: {
			commands: ['compare', 'experiment', 'experiment all', 'selftest', 'bench-overhead'],
			at: listed(['compare', 'limit', 'experiment', 'selftest', 'bench-overhead']),
		},
		otherwise: '8, and of a fault or a limit 3,',
		help: 'repetitions of a comparison (a verdict takes 8), runs of a fault, further runs at each side of a limit, pairs of the overhead',
	},
	STOP: {
		kind: choice(['fixed', 'early']),
		scope: { commands: ['compare'], at: listed(['compare']) },
		standard: 'fixed',
		help: '`early`: a comparison ends when it is clear, after `REPEATS` repetitions at most',
	},
	ARMS: {
		kind: TEXT,
		scope: { commands: ['experiment', 'excerpt'], at: listed(['experiment']) },
		otherwise: 'all',
		help: 'some arms of an experiment, with commas between, where time is short',
		more: 'claims that need others are skipped. Of an excerpt: the typical run of these is kept',
	},
	RESUME: {
		kind: TEXT,
		scope: { commands: ['compare', 'experiment', 'experiment all'], at: listed(['compare', 'experiment']) },
		help: 'folder of an interrupted comparison or experiment, to go on with it',
		more: 'with a larger `REPEATS`, to add repetitions',
	},
	BASELINE: {
		kind: TEXT,
		scope: { commands: ['compare'], at: listed(['compare']) },
		help: 'folder of an earlier comparison, or of several, to compare `B` with their runs',
		more: 'of several the newest 5 of this machine, version of Doubletake and load',
	},
	A: {
		kind: textOf(IDS),
		scope: {
			commands: ['compare'],
			at: listed(['compare'], {
				otherwise: 'the folder as it is',
				help: 'baseline: Compose files, `NAME=value` of a variable that they read, `rev:REVISION`, or options after a dot (`.:RETRIES=2`)',
			}),
		},
		help: 'baseline: an architecture, with options of its own after a colon (`a:DELAY=5`)',
		more: 'of your own system Compose files, `NAME=value` of a variable that they read, `rev:REVISION`, or options after a dot (`.:RETRIES=2`)',
	},
	B: {
		kind: textOf(IDS),
		scope: { commands: ['compare'], at: listed(['compare'], { otherwise: 'the folder as it is' }) },
		help: 'candidate: the same',
	},
	FAULTS: {
		kind: TEXT,
		scope: { commands: ['selftest'], at: listed(['selftest']) },
		standard: 'all',
		help: '`short`, or names with commas between; `rest`: go on with the last one; `again`: score its runs again',
	},
	TARGET_RPS: {
		kind: integer(1, TARGET_RPS_MOST),
		scope: { commands: ['plan'] },
		help: 'good requests a second that are to be served',
	},
	P95_MS: {
		kind: integer(1, P95_MOST_MS, MS),
		scope: { commands: ['plan'] },
		otherwise: 'no limit',
		help: 'milliseconds that 95 % of them may take at most',
	},
	WRITE: {
		kind: SWITCH,
		scope: { commands: ['replay'] },
		standard: '0',
		help: '1: of records that moved, result and report are written again',
		more: 'of frozen ones their results',
	},
	PARTS: {
		kind: SWITCH,
		scope: { commands: ['bench-overhead'], at: listed([]) },
		standard: '0',
		help: '1: what each part of Doubletake costs too',
	},
	RUN: {
		kind: TEXT,
		scope: {
			commands: OF_RECORDS,
			at: listed(PROJECT_MEASURING, { help: 'the folder of the run of which `RATE=40%` is a share' }),
			isOfMachine: true,
		},
		help: 'the folder that is read: of a run, an experiment or records',
		more: 'of your own system with `RATE=40%` that of the run of which it is a share',
	},
	INTO: {
		kind: TEXT,
		scope: { commands: ['excerpt', 'freeze'], isOfMachine: true },
		help: 'the folder that is written; of a frozen record its name',
	},
	IMAGES: {
		kind: choice(['auto', 'hub', 'local']),
		scope: { commands: [...RUNNING, 'images'], at: listed(OF_PROJECT), isOfMachine: true },
		standard: 'auto',
		help: '`auto`: from the registry, or built from packages where none can be reached; or `hub`, `local`',
	},
	BUSY: {
		kind: choice(['refuse', 'wait', 'allow']),
		scope: { commands: RUNNING, at: listed(OF_PROJECT), isOfMachine: true },
		standard: 'refuse',
		help: '`refuse`: no run on a machine that something else uses; `wait`: it is waited for a minute, then the run is made and says what is in doubt, as a single run does where nothing is given; `allow`: the run is made at once, and once',
	},
	...ofArchitectures(),
};

/** What architectures have of their own, from their doubletake.yaml. */
function ofArchitectures(): Record<string, Option> {
	const found: Record<string, Option> = {};
	for (const [id, { variables = {} }] of Object.entries(architectures))
		for (const [name, variable] of Object.entries(variables)) {
			const systems = [...(found[name]?.scope.systems ?? []), id];
			// What is called so may be a variable of any Compose file, such as WORKERS.
			const scope: Scope = { commands: [...MEASURING, 'kubernetes'], systems, at: listed(OF_PROJECT) };
			found[name] = { ...(found[name] ?? ofArchitecture(name, variable)), scope };
		}
	return found;
}
