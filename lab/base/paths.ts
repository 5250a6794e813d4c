/**
 * Where things are: in the repository, in a package made of it, and on this machine.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Of the shipped systems, each in a folder of its own. */
export const COMPOSE_FOLDER = join(ROOT, 'compose');
/** npm leaves the lock file out of a package. Nothing is written into the folder of one: it may be anybody's. */
export const IS_CHECKOUT = existsSync(join(ROOT, 'package-lock.json'));
/** Whether the command was given in the folder of a checkout, where make takes it. `lab/doubletake` says in which it was. */
export const IS_MAKEFILE_HERE = IS_CHECKOUT && realpathSync(process.env.DOUBLETAKE_FOLDER || ROOT) === realpathSync(ROOT);
/** What lab/ensure-node.sh and compose/engine keep on this machine lies there too. */
const CACHE = join(process.env.XDG_CACHE_HOME || join(os.homedir(), '.cache'), 'doubletake');
/** Of a user's own system they lie in the user's folder: `lab/doubletake` says so. */
export const REPORTS = process.env.DOUBLETAKE_REPORTS || join(ROOT, 'reports');
/** The stored experiments of a checkout, each an excerpt, and their findings. */
export const EXAMPLES = join(ROOT, 'reports', 'examples');
/** Records of runs that were frozen, with their results; a package has none. */
export const FROZEN = join(ROOT, 'lab', 'fixtures', 'records');
/** The latest readings of what a request costs here. */
export const CALIBRATION_FILE = join(REPORTS, 'calibration.json');
/** Which images and which application image this machine uses; that of a checkout Compose reads by itself. */
export const ENV_FILE = IS_CHECKOUT ? join(ROOT, '.env') : join(CACHE, 'images.env');
/** Which variables of the shell headers of which doubletake.yaml may take. */
export const PERMITTED_FILE = join(CACHE, 'permitted.json');
/** Compose's project of the shipped architectures. */
export const PROJECT = 'doubletake';
/** How those begin under which a user's own Compose files are run. */
export const RUN_PROJECT_PREFIX = 'doubletake-run-';

/** Names inside a run's folder. */
export const RECORD = Object.freeze({
	manifest: 'manifest.json',
	raw: 'raw',
	result: 'result.json',
	report: 'report.html',
	k6Report: 'k6.html',
	summary: 'summary.md',
	/** There only when thresholds were given. */
	junit: 'expect.junit.xml',
});

/** Names inside a run's folder while it goes on: of what containers write, until the lab has taken it into `raw/`. */
export const WRITTEN = Object.freeze({ own: 'written', services: 'written-by-services' });

/** Names inside an experiment's folder, beside its manifest. */
export const EXPERIMENT_RECORD = Object.freeze({
	runs: 'runs',
	baseline: 'baseline',
	pairs: 'pairs',
	result: 'experiment.json',
	page: 'experiment.html',
	markdown: 'experiment.md',
	comparison: 'compare.json',
	comparisonPage: 'compare.html',
	comparisonMarkdown: 'compare.md',
	control: 'control.json',
});

/** Name of the file that an excerpt of an experiment is. */
export const EXCERPT_FILE = 'excerpt.json.br';

/** Names inside an experiment's folder, of what was planned by it: a folder for each target, with data and page. */
export const CAPACITY_RECORD = Object.freeze({ plans: 'plans', data: 'plan.json', page: 'plan.html' });

/** Names inside the folder of a search for a limit. */
export const LIMIT_RECORD = Object.freeze({ group: 'limit', data: 'limit.json', page: 'limit.html' });

/** What the generator's figures are called: all of it, where several processes make the load. */
export const GENERATOR_NAME = 'k6';

/** Names inside `raw/`. */
export const RAW = Object.freeze({
	k6Summary: 'k6-summary.json',
	k6Log: 'k6.log',
	containers: 'containers.ndjson',
	kernel: 'kernel.ndjson',
	host: 'host.ndjson',
	events: 'events.ndjson',
	finalStates: 'final-states.json',
	program: 'program.json',
	documentIds: 'document-ids.txt',
	generators: 'generators.json',
	wire: 'wire.ndjson',
});

/** Names inside a service's own folder in `raw/`, where an adapter reads it. */
export const SERVICE_RECORD = Object.freeze({ log: 'log.txt', samples: 'samples.ndjson' });

/**
 * A log of requests that a shipped service writes into `raw/` itself: a node, or a balancer that an adapter reads.
 * @param name of the service
 */
export const requestLogOf = (name: string) => `${name}-requests.log`;

const ID_BYTES = 2;

/** A name for a new folder below reports/: `<UTC time>-<short id>`, so that names sort by time. */
export function newFolderName() {
	const time = new Date()
		.toISOString()
		.replace(/\.\d+Z$/, 'Z')
		.replaceAll(':', '');
	return `${time}-${randomBytes(ID_BYTES).toString('hex')}`;
}
