/**
 * Reads the raw record of a run from disk. Nothing else in this room touches files, so the analysis can be run again at
 * any time, without Docker.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Attempt } from '../adapters/attempt.ts';
import type { Adapter, Files, Heartbeat, StoreReading } from '../adapters/contract.ts';
import { adapterFor, adapterOf } from '../adapters/registry.ts';
import { NotReadyError } from '../base/errors.ts';
import { folderInRecord } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { GENERATOR_NAME, RAW, RECORD, requestLogOf, SERVICE_RECORD } from '../base/paths.ts';
import { readPrivate } from '../base/private-file.ts';
import type { Level, Tier } from '../base/tier.ts';
import { isRow, jsonIn } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { isSealWhole } from '../record/inventory.ts';
import type { Snapshot } from '../record/k6-requests.ts';
import type { StageRequests } from '../record/percentile.ts';
import { liftedManifest, MANIFEST_SCHEMA_VERSION } from '../record/versions.ts';
import { readWire, type WireRecord, WireRecordError } from '../wire/record.ts';
import { kernelCountedOn, usageCountedOn } from './counted-on.ts';
import { toRecordError } from './damage.ts';
import type { Failed } from './joins/failed.ts';
import { withNamed } from './joins/named.ts';
import { asObserved, OBSERVER } from './observed.ts';
import { type Queued, workersOf } from './queue.ts';
import { readGenerators } from './read-generators.ts';
import { type Damaged, RecordFiles } from './record-files.ts';
import { receivedBy } from './time/increments.ts';
import { LONGEST_S } from './time/window.ts';

const EVERY_ID = { has: () => true };

export type Raw = {
	manifest: any;
	snapshots: Snapshot[];
	/** k6's own, null when k6 was killed */
	summary: any | null;
	/** requests of the load that the users wrote down, and that k6 counted; null where they wrote none */
	written: { written: number; counted: number | null } | null;
	/** requests that ended while each fault or surge went on, in their order; null where users wrote none */
	disturbed: { good: number; failed: number }[] | null;
	/** requests of each stage of the shape, in their order; null where users wrote none */
	byStage: StageRequests[] | null;
	/** of the load */
	ending: Ending;
	/** what k6's scenario said of failures */
	errorSamples: { t: number; code: number; kind: string; error: string }[];
	/** each failed request of the load, as k6 wrote it down */
	failures: Failed[];
	/** what the nodes logged of those, and at least of those that the balancer tried at more than one node, by id */
	attempts: Map<string, Attempt[]>;
	/** what went through a queue; null where none takes what users ask for */
	queued: Queued | null;
	/** when a node received a request once more, by its name */
	repeated: Record<string, number[]>;
	/** requests that a node counted and has no line of in its log, by its name: they came without an id, or the log is not whole */
	unlogged: Record<string, number>;
	/** with INTEGRITY=1: requests that k6 had a good answer for */
	acknowledgedIds: string[];
	/** with INTEGRITY=1: requests whose document the database holds, as often as it holds it */
	documentIds: string[];
	/** a node's record of itself, by its name */
	nodes: Record<string, Heartbeat[]>;
	/** of a shipped system's database, or of each by its name */
	database: StoreReading[];
	/** moments at which a database logged that it refused a connection */
	databaseRefusals: { t: number; name: string }[];
	/** moments at which it logged that it was told to stop */
	databaseStops: { t: number; name: string }[];
	/** what was recorded of services, for their adapters */
	adapted: Adapted[];
	/** of those on the way of no request: what they wrote */
	beside?: (Pick<Adapted, 'service' | 'level'> & { files: Pick<Adapted['files'], 'log'> })[];
	containers: any[];
	kernel: any[];
	host: any[];
	/** of the containers, as the engine told them */
	events: { t: number; name: string; action: string; exit_code: number | null }[];
	/** every container when the load had ended */
	finalStates: any[];
	/** what the database keeps besides, as the scenario has it written down; null where it has none, or nobody wrote it down */
	writtenLines: string[] | null;
	/** what passed the networks of the run; null where that was not recorded */
	wire?: WireRecord | null;
	/** a sentence for each thing in which doubletake.yaml and the wire differ */
	differing?: string[];
	/** what a program that made the load says of it; null where k6 did */
	program: any | null;
	/** files that are not as the run left them, as far as that is known */
	damaged?: Damaged[];
};

/** seconds since 1970 */
type Ending = {
	/** when all users of a script had ended; null of another load, and of an earlier record */
	at_s: number | null;
	/** when the last request that a user wrote down ended */
	last_s: number | null;
	/** errors of k6 itself */
	said: string[];
};

type Adapted = { service: string; tier: Tier; product: string; level: Level; files: Files };

/**
 * @param folder of the run
 * @throws {NotReadyError} when there is no manifest that can be read, or the run was measured by a version whose record says too little
 * @throws {NotReadyError} when a link is in the place of a file
 */
export async function readRaw(folder: string): Promise<Raw> {
	const path = join(folder, RECORD.manifest);
	const written = await readManifest(path);
	const given = liftedManifest(written, path);
	refuseOld(given);
	refuseChanged(written, path);
	const record = await RecordFiles.open(folder, given);
	try {
		return await readAll(folder, record, given);
	} catch (error) {
		throw toRecordError(error, folder, { manifest: given, damaged: record.damaged(given) });
	}
}

/** @param given its manifest */
async function readAll(folder: string, record: RecordFiles, given: any): Promise<Raw> {
	const recorded = asOneGenerator(await wireIn(folder, record, given), given);
	const { manifest, differing } = asObserved(given, recorded);
	const services = (manifest.services ?? []) as { name: string; tier: string; product?: string; address?: string; addresses?: string[] }[];
	const shipped = shippedIn(record, manifest);
	const adapted = adaptedIn(record, manifest, shipped);
	const generated = readGenerators(manifest, record);
	const wire = recorded && withNamed(recorded, generated.failures);
	const workers = workersOf(manifest);
	// What failed, and what was tried more than once: of a balancer that does not tell that beforehand, it is known when it has been read.
	const retried = adapted
		.filter(({ tier }) => tier === 'load-balancer')
		.map(({ product, files }) => adapterOf(product)?.askedAgain?.(files) ?? null);
	const wanted =
		retried.includes(null) || workers.length > 0 ? EVERY_ID : new Set([...generated.failures.map(({ id }) => id), ...retried.flat()]);
	const observers = services.flatMap(({ tier, address = '', addresses = [] }) => (tier === 'observer' ? [address, ...addresses] : []));
	const about = { level: SHIPPED_LEVEL, names: new Map(), window: EVER, wanted, observers };
	const records = shipped
		.filter(({ adapter: { inside } }) => !inside)
		.map(({ name, tier, adapter, files }) => adapter.read(files, { service: name, tier, ...about }));
	const [taken, put] = [true, false].map((isTaken) =>
		records.flatMap(({ service, attempts }) => (attempts && workers.includes(service) === isTaken ? [attempts] : [])),
	);
	const nodes = Object.fromEntries(records.flatMap(({ service, heartbeat }) => (heartbeat ? [[service, heartbeat]] : [])));
	const momentsIn = (what: 'refused' | 'stopping') =>
		records.flatMap(({ service: name, [what]: times = [] }) => times.map((t) => ({ t, name })));
	const writtenFile = scenarios[manifest.scenario]?.written?.file;
	const read = {
		manifest,
		...generated,
		documentIds: record.text(RAW.documentIds).split('\n').filter(Boolean),
		attempts: joined(put),
		queued: workers.length === 0 ? null : { workers, put: joined(put), taken: joined(taken) },
		repeated: Object.fromEntries(records.flatMap(({ service, repeated }) => (repeated ? [[service, repeated]] : []))),
		unlogged: Object.fromEntries(
			records.flatMap(({ service, identified }) =>
				identified === undefined ? [] : [[service, Math.max(0, receivedBy(nodes[service]) - identified)]],
			),
		),
		nodes,
		database: records.flatMap(({ readings = [] }) => readings).toSorted((one, other) => one.t - other.t),
		databaseRefusals: momentsIn('refused'),
		databaseStops: momentsIn('stopping'),
		adapted,
		beside: besideIn(record, manifest),
		containers: usageCountedOn(record.rows(RAW.containers)),
		kernel: kernelCountedOn(record.rows(RAW.kernel)),
		host: record.rows(RAW.host),
		events: record.rows(RAW.events),
		finalStates: record.json(RAW.finalStates, areStates) ?? [],
		writtenLines: (writtenFile === undefined ? null : record.stored(writtenFile))?.split('\n').filter(Boolean) ?? null,
		wire,
		differing,
		program: record.json(RAW.program, isProgram),
	};
	// When all is read.
	return { ...read, damaged: record.damaged(manifest) };
}

const areStates = (value: any): value is any[] => Array.isArray(value) && value.every((one) => isRow(one) && typeof one.name === 'string');

const isProgram = (value: any): value is { writers: any[] } => isRow(value) && Array.isArray(value.writers) && value.writers.every(isRow);

/** Several generators make one load, and are one to whoever follows its requests. */
export function asOneGenerator(wire: WireRecord | null, { services = [] }: { services?: { name: string; tier: string }[] }) {
	const names = services.filter(({ tier }) => tier === 'generator').map(({ name }) => name);
	if (wire === null || names.length < 2) return wire;
	const called = wire.services.map((one) => (names.includes(one.name) ? { ...one, name: GENERATOR_NAME, service: GENERATOR_NAME } : one));
	return { ...wire, services: called };
}

/** Where the manifest does not say what the run left: the networks of a user's own system are recorded unless that is told otherwise. */
const isCaptured = ({ command = '', system, warnings }: any) =>
	system?.proposal !== undefined && warnings.length === 0 && !NO_CAPTURE.test(command);
const NO_CAPTURE = /\bCAPTURE=0\b/;

/** Of a damaged record of the wire nobody can tell what it lacks. */
async function wireIn(folder: string, record: RecordFiles, manifest: any) {
	const path = join(folderInRecord(folder, RECORD.raw), `${RAW.wire}.gz`);
	if (record.isDamaged(RAW.wire)) return null;
	if (!existsSync(path)) {
		if (manifest.files === undefined && isCaptured(manifest)) record.note(RAW.wire, 'is missing');
		return null;
	}
	const wire = await readWire(path).catch((error) => {
		if (!(error instanceof WireRecordError)) throw error;
		record.note(RAW.wire, `is not whole (found ${error.found})`);
		return null;
	});
	if (wire === null) return null;
	// What is read is kept: to collect while it grows finds nothing.
	setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
	return wire;
}
/**
 * So much of what is still used may come beside it before the heap is collected again. Whoever goes through hundreds of thousands of calls leaves
 * much behind, and where memory is plenty V8 lets a heap grow to three times as much first. The lab's own choice: a third of the memory for a
 * twentieth of the time.
 */
const GROWING_PERCENT = 50;

/** Services of a shipped system that carry no label of their product: their record has files beside the services' folders. */
function shippedIn(record: RecordFiles, { services = [] }: any): Shipped[] {
	return servicesIn(services).flatMap((service) => {
		const adapter = service.product === undefined ? adapterFor(service) : null;
		if (adapter === null) return [];
		const beside = service.files ?? adapter.recorded?.(service.name) ?? [];
		return [{ ...service, adapter, files: { log: '', samples: [], beside, file: (name: string) => record.text(name) } }];
	});
}

type Shipped = Omit<Reported, 'files'> & { adapter: Adapter; files: Adapted['files'] & { beside: readonly string[] } };

/** What adapters read when the load's window is known: of services that have a folder of the record, and of shipped proxies. */
function adaptedIn(record: RecordFiles, { services = [] }: any, shipped: Shipped[]): Adapted[] {
	const beside = shipped
		.filter(({ adapter: { inside } }) => inside)
		.map(({ name, tier, adapter, files }) => {
			const texts = new Map(files.beside.map((file) => [file, files.file(file)]));
			const product = adapter.product;
			return {
				service: name,
				tier,
				product,
				level: SHIPPED_LEVEL,
				files: { ...files, file: (file: string) => texts.get(file) ?? '' },
			};
		});
	const labelled = servicesIn(services).flatMap((service) => {
		const { name, tier, product, watch } = service;
		return product === undefined
			? []
			: [{ service: name, tier, product, level: watch as Adapted['level'], files: filesOf(record, service) }];
	});
	return [...beside, ...labelled];
}

/** A worker behind a broker is one: requests may wait for it all the same. */
const besideIn = (record: RecordFiles, { services = [] }: any): NonNullable<Raw['beside']> =>
	services
		.filter(({ tier, product }: Reported) => tier === OBSERVER && product !== undefined)
		.map((service: Reported) => ({
			service: service.name,
			level: (service.watch ?? 0) as Adapted['level'],
			files: { log: filesOf(record, service).log },
		}));

/** @returns on the way of requests */
const servicesIn = (services: any[]): Reported[] => services.filter(({ tier }) => tier !== 'generator' && tier !== 'observer');

/**
 * Of a service, in the manifest. files: that it has beside the folders of services; null where an earlier version did not say, so that they are
 * those of today
 */
type Reported = Pick<Adapted, 'tier'> & {
	name: string;
	service?: string;
	product?: string;
	watch?: Adapted['level'];
	files?: string[] | null;
};

/** The lab's own configurations have its formats of logs. */
const SHIPPED_LEVEL: Adapted['level'] = 2;
/** What is asked of the window is asked of the facts. */
const EVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

const filesOf = (record: RecordFiles, { name, service = name }: Reported): Adapted['files'] => ({
	// What the engine kept of its output, and what it wrote into the record itself: both have a time before each line.
	log: `${record.text(join(name, SERVICE_RECORD.log))}${record.text(requestLogOf(name))}`,
	samples: record.rows(join(name, SERVICE_RECORD.samples)),
	// Containers of one service share its folder.
	file: (file) => record.text(join(name, file)) || record.text(join(service, file)),
});

/**
 * Of whatever it is the record, as it was written.
 * @throws {NotReadyError}
 */
export async function readManifest(path: string): Promise<any> {
	const text = readPrivate(path);
	const manifest = jsonIn(String(text ?? ''));
	if (isRow(manifest)) return manifest;
	const found = text === null ? 'no such file' : manifest === null ? 'no JSON in it' : 'other JSON';
	throw new NotReadyError(
		`${path}: expected the manifest of a run; found ${found}.`,
		`name the folder of a run that is whole; "${formatCommand(['list'])}" says which there are.`,
	);
}

/** @throws {NotReadyError} where it is not what the run wrote */
function refuseChanged(manifest: any, path: string) {
	const found = isSealWhole(manifest) ? lackOf(manifest) : 'that something in it was changed afterwards';
	if (found === null) return;
	throw new NotReadyError(
		`${path}: expected the manifest as the run left it; found ${found}.`,
		'put the file back as it was, or measure again: without it nothing in the record can be read.',
	);
}

/** Each of them is a row of a table. */
const STAGES_MOST = 10_000;

const areStages = (stages: unknown) =>
	Array.isArray(stages) && stages.length <= STAGES_MOST && stages.every((stage) => isRow(stage) && stage.duration_s >= 0);

const NEEDED: [name: string, isSuch: (value: any, manifest: any) => boolean, what: string][] = [
	['run', (value) => typeof value === 'string', 'a text'],
	['architecture', (value) => typeof value === 'string', 'a text'],
	['scenario', (value) => Object.hasOwn(scenarios, value), 'a scenario'],
	['shape', (value) => isRow(value) && areStages(value.stages), 'a shape of a load'],
	['load_ended_s', (value, { load_began_s: began }) => value === undefined || !(value - began > LONGEST_S), 'within a week of its begin'],
	['warmup_began_s', (value, { load_began_s: began }) => value === undefined || !(began - value > LONGEST_S), 'within a week of the load'],
	['machine', isRow, 'a machine'],
	['warnings', Array.isArray, 'a list'],
	['services', (value = []) => Array.isArray(value) && value.every(isService), 'a list of services with names'],
	['files', (value = []) => Array.isArray(value) && value.every(isKept), 'a list of files'],
];

const isService = (one: any) => isRow(one) && typeof one.name === 'string' && typeof one.tier === 'string';

const isKept = (one: any) => isRow(one) && typeof one.path === 'string' && typeof one.digest === 'string';

/** Of one that has no seal. */
function lackOf(manifest: any): string | null {
	const wrong = NEEDED.find(([name, isSuch]) => !isSuch(manifest[name], manifest));
	return wrong ? `no ${wrong[0]} in it that is ${wrong[2]}` : null;
}

/**
 * @param manifest lifted
 * @throws {NotReadyError}
 */
function refuseOld({ schema, run }: any) {
	if (schema === MANIFEST_SCHEMA_VERSION) return;
	throw new NotReadyError(
		`${run}: expected a record in which every request has an id (schema 2 or later); found schema ${schema}, of an earlier version of Doubletake.`,
		'measure it again; the result and report that are in its folder stay as they are.',
	);
}

function joined<T>(maps: Map<string, T[]>[]): Map<string, T[]> {
	const all = new Map();
	for (const map of maps) for (const [key, values] of map) all.set(key, [...(all.get(key) ?? []), ...values]);
	return all;
}
