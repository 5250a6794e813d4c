/**
 * Reads the raw record of a run from disk. Nothing else in this room touches files, so the analysis can be run again at
 * any time, without Docker.
 *
 * @import { Adapter, Files, Heartbeat, Level, StoreReading, Tier } from '../adapters/contract.ts'
 * @import { Snapshot } from '../record/k6-requests.ts'
 * @import { StageRequests } from '../record/percentile.ts'
 * @import { WireRecord } from '../wire/record.ts'
 * @import { Attempt, Failed } from './ledger/traces.ts'
 * @import { Queued } from './queue.ts'
 * @import { Damaged } from './record-files.ts'
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { decide } from '../adapters/observed-system.ts';
import { adapterFor, adapterOf } from '../adapters/registry.ts';
import { NotReadyError } from '../base/errors.ts';
import { folderInRecord, readPrivate } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { GENERATOR_NAME, RAW, RECORD, requestLogOf, SERVICE_RECORD } from '../base/paths.ts';
import { isRow, jsonIn, ownOf } from '../base/values.ts';
import { scenarios } from '../catalog/scenarios.ts';
import { isSealWhole } from '../record/inventory.ts';
import { liftedManifest, MANIFEST_SCHEMA_VERSION } from '../record/versions.ts';
import { readWire, WireRecordError } from '../wire/record.ts';
import { observedOf } from '../wire/tenancy.ts';
import { kernelCountedOn, usageCountedOn } from './counted-on.ts';
import { toRecordError } from './damage.ts';
import { withNamed } from './joins/named.ts';
import { workersOf } from './queue.ts';
import { readGenerators } from './read-generators.ts';
import { RecordFiles } from './record-files.ts';
import { receivedBy } from './time/increments.ts';

/*
 * What the wire says of who asks whom, used in the record of a run: edges and tiers that doubletake.yaml has as `init` proposed them give
 * way to what was seen (lab/adapters/observed-system.ts).
 */

/** The manifest calls an observer what a user's file calls `other`. */
const [OBSERVER, OTHER, GENERATOR] = ['observer', 'other', 'generator'];

/**
 * @param {any} manifest
 * @param {WireRecord | null} wire
 * @returns {{ manifest: any, differing: string[] }} the manifest as it was seen, and a sentence for each thing that differs; as it is where
 *   nothing was recorded, or the record does not say what was proposed
 */
export function asObserved(manifest, wire) {
	const { system, services = [] } = manifest;
	const generator = generatorIn(services);
	if (!wire || !system.proposal || !manifest.edges || !generator) return { manifest, differing: [] };
	const asked = new Set(manifest.edges.flatMap((/** @type {any} */ { from, to }) => (from === generator.name ? [to] : [])));
	const entries = /** @type {string[]} */ ([
		...new Set(services.flatMap((/** @type {any} */ { name, service }) => (asked.has(name) ? [service] : []))),
	]);
	if (entries.length === 0) return { manifest, differing: [] };
	const observed = observedOf(wire, { entries, generator: generator.service });
	const { edges, tiers, notes } = decide({ observed, written: { ...writtenIn(system), entries }, proposal: system.proposal });
	const namesOf = (/** @type {string} */ service) =>
		services.flatMap((/** @type {any} */ one) => (one.service === service && one.tier !== GENERATOR ? [one.name] : []));
	const between = edges.flatMap(([from, to]) =>
		namesOf(from).flatMap((/** @type {string} */ one) => namesOf(to).map((/** @type {string} */ other) => ({ from: one, to: other }))),
	);
	return {
		manifest: {
			...manifest,
			services: services.map((/** @type {any} */ one) => withTier(one, ownOf(tiers, one.service))),
			edges: [...manifest.edges.filter((/** @type {any} */ { from }) => from === generator.name), ...between],
		},
		differing: notes,
	};
}

/** As the wire has it: several are one (read-raw.ts). @param {any[]} services @returns {{ name: string, service: string } | undefined} */
function generatorIn(services) {
	const [first, ...others] = services.filter(({ tier }) => tier === GENERATOR);
	return others.length > 0 ? { name: GENERATOR_NAME, service: GENERATOR_NAME } : first;
}

/** @param {any} system */
const writtenIn = ({ services, edges }) => ({
	services: Object.fromEntries(
		Object.entries(services).map(([name, one]) => [name, { ...one, tier: one.tier === OBSERVER ? OTHER : one.tier }]),
	),
	edges,
});

/** @param {any} service @param {string | undefined} tier */
function withTier(service, tier) {
	if (tier === undefined || service.tier === GENERATOR) return service;
	return { ...service, tier: tier === OTHER ? OBSERVER : tier };
}

const EVERY_ID = { has: () => true };

/**
 * @typedef {object} Raw
 * @property {any} manifest
 * @property {Snapshot[]} snapshots
 * @property {any | null} summary            k6's own, null when k6 was killed
 * @property {{ written: number, counted: number | null } | null} written  requests of the load that the users wrote down, and that k6 counted;
 *   null where they wrote none
 * @property {{ good: number, failed: number }[] | null} disturbed  requests that ended while each fault or surge went on, in their order; null
 *   where users wrote none
 * @property {StageRequests[] | null} byStage  requests of each stage of the shape, in their order; null
 *   where users wrote none
 * @property {Ending} ending                of the load
 * @property {{ t: number, code: number, kind: string, error: string }[]} errorSamples what k6's scenario said of failures
 * @property {Failed[]} failures  each failed request of the load, as k6 wrote it down
 * @property {Map<string, Attempt[]>} attempts  what the nodes logged of those, and at least of those that the
 *   balancer tried at more than one node, by id
 * @property {Queued | null} queued  what went through a queue; null where none takes what users ask for
 * @property {Record<string, number[]>} repeated  when a node received a request once more, by its name
 * @property {Record<string, number>} unlogged  requests that a node counted and has no line of in its log, by its name: they came without
 *   an id, or the log is not whole
 * @property {string[]} acknowledgedIds     with INTEGRITY=1: requests that k6 had a good answer for
 * @property {string[]} documentIds         with INTEGRITY=1: requests whose document the database holds, as often as it holds it
 * @property {Record<string, Heartbeat[]>} nodes   a node's record of itself, by its name
 * @property {StoreReading[]} database  of a shipped system's database, or of each by its name
 * @property {{ t: number, name: string }[]} databaseRefusals  moments at which a database logged that it refused a connection
 * @property {{ t: number, name: string }[]} databaseStops     moments at which it logged that it was told to stop
 * @property {Adapted[]} adapted            what was recorded of services, for their adapters
 * @property {(Pick<Adapted, 'service' | 'level'> & { files: Pick<Adapted['files'], 'log'> })[]} [beside]  of those on the way of no request: what they wrote
 * @property {any[]} containers
 * @property {any[]} kernel
 * @property {any[]} host
 * @property {{ t: number, name: string, action: string, exit_code: number | null }[]} events  of the containers, as the engine told them
 * @property {any[]} finalStates             every container when the load had ended
 * @property {string[] | null} writtenLines       what the database keeps besides, as the scenario has it written down; null where it has none, or
 *   nobody wrote it down
 * @property {WireRecord | null} [wire]  what passed the networks of the run; null where that was not recorded
 * @property {string[]} [differing]       a sentence for each thing in which doubletake.yaml and the wire differ
 * @property {any | null} program            what a program that made the load says of it; null where k6 did
 * @property {Damaged[]} [damaged]  files that are not as the run left them, as far as that is known
 */

/**
 * @typedef {object} Ending       seconds since 1970
 * @property {number | null} at_s   when all users of a script had ended; null of another load, and of an earlier record
 * @property {number | null} last_s when the last request that a user wrote down ended
 * @property {string[]} said        errors of k6 itself
 */

/** @typedef {{ service: string, tier: Tier, product: string, level: Level, files: Files }} Adapted */

/**
 * @param {string} folder of the run
 * @returns {Promise<Raw>}
 * @throws {NotReadyError} when there is no manifest that can be read, or the run was measured by a version whose record says too little
 * @throws {NotReadyError} when a link is in the place of a file
 */
export async function readRaw(folder) {
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

/** @param {string} folder @param {RecordFiles} record @param {any} given  its manifest @returns {Promise<Raw>} */
async function readAll(folder, record, given) {
	const recorded = asOneGenerator(await wireIn(folder, record, given), given);
	const { manifest, differing } = asObserved(given, recorded);
	const services = /** @type {{ name: string, tier: string, product?: string, address?: string, addresses?: string[] }[]} */ (
		manifest.services ?? []
	);
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
	const momentsIn = (/** @type {'refused' | 'stopping'} */ what) =>
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

/** @param {any} value @returns {value is any[]} */
const areStates = (value) => Array.isArray(value) && value.every((one) => isRow(one) && typeof one.name === 'string');

/** @param {any} value @returns {value is { writers: any[] }} */
const isProgram = (value) => isRow(value) && Array.isArray(value.writers) && value.writers.every(isRow);

/**
 * Several generators make one load, and are one to whoever follows its requests.
 * @param {WireRecord | null} wire
 * @param {{ services?: { name: string, tier: string }[] }} manifest
 */
export function asOneGenerator(wire, { services = [] }) {
	const names = services.filter(({ tier }) => tier === 'generator').map(({ name }) => name);
	if (wire === null || names.length < 2) return wire;
	const called = wire.services.map((one) => (names.includes(one.name) ? { ...one, name: GENERATOR_NAME, service: GENERATOR_NAME } : one));
	return { ...wire, services: called };
}

/** Where the manifest does not say what the run left: the networks of a user's own system are recorded unless that is told otherwise. @param {any} manifest */
const isCaptured = ({ command = '', system, warnings }) =>
	system?.proposal !== undefined && warnings.length === 0 && !NO_CAPTURE.test(command);
const NO_CAPTURE = /\bCAPTURE=0\b/;

/** Of a damaged record of the wire nobody can tell what it lacks. @param {string} folder @param {RecordFiles} record @param {any} manifest */
async function wireIn(folder, record, manifest) {
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

/**
 * Services of a shipped system that carry no label of their product: their record has files beside the services' folders.
 * @param {RecordFiles} record @param {any} manifest @returns {Shipped[]}
 */
function shippedIn(record, { services = [] }) {
	return servicesIn(services).flatMap((service) => {
		const adapter = service.product === undefined ? adapterFor(service) : null;
		if (adapter === null) return [];
		const beside = service.files ?? adapter.recorded?.(service.name) ?? [];
		return [{ ...service, adapter, files: { log: '', samples: [], beside, file: (/** @type {string} */ name) => record.text(name) } }];
	});
}

/** @typedef {Omit<Reported, 'files'> & { adapter: Adapter, files: Adapted['files'] & { beside: readonly string[] } }} Shipped */

/**
 * What adapters read when the load's window is known: of services that have a folder of the record, and of shipped proxies.
 * @param {RecordFiles} record @param {any} manifest @param {Shipped[]} shipped @returns {Adapted[]}
 */
function adaptedIn(record, { services = [] }, shipped) {
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
				files: { ...files, file: (/** @type {string} */ file) => texts.get(file) ?? '' },
			};
		});
	const labelled = servicesIn(services).flatMap((service) => {
		const { name, tier, product, watch } = service;
		return product === undefined
			? []
			: [{ service: name, tier, product, level: /** @type {Adapted['level']} */ (watch), files: filesOf(record, service) }];
	});
	return [...beside, ...labelled];
}

/** A worker behind a broker is one: requests may wait for it all the same. @param {RecordFiles} record @param {any} manifest @returns {NonNullable<Raw['beside']>} */
const besideIn = (record, { services = [] }) =>
	services
		.filter((/** @type {Reported} */ { tier, product }) => tier === OBSERVER && product !== undefined)
		.map((/** @type {Reported} */ service) => ({
			service: service.name,
			level: /** @type {Adapted['level']} */ (service.watch ?? 0),
			files: { log: filesOf(record, service).log },
		}));

/** @param {any[]} services @returns {Reported[]} on the way of requests */
const servicesIn = (services) => services.filter(({ tier }) => tier !== 'generator' && tier !== 'observer');

/**
 * Of a service, in the manifest. files: that it has beside the folders of services; null where an earlier version did not say, so that they are
 * those of today
 * @typedef {Pick<Adapted, 'tier'> & { name: string, service?: string, product?: string, watch?: Adapted['level'], files?: string[] | null }} Reported
 */

/** The lab's own configurations have its formats of logs. @type {Adapted['level']} */
const SHIPPED_LEVEL = 2;
/** What is asked of the window is asked of the facts. */
const EVER = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** @param {RecordFiles} record @param {Reported} service @returns {Adapted['files']} */
const filesOf = (record, { name, service = name }) => ({
	// What the engine kept of its output, and what it wrote into the record itself: both have a time before each line.
	log: `${record.text(join(name, SERVICE_RECORD.log))}${record.text(requestLogOf(name))}`,
	samples: record.rows(join(name, SERVICE_RECORD.samples)),
	// Containers of one service share its folder.
	file: (file) => record.text(join(name, file)) || record.text(join(service, file)),
});

/** Of whatever it is the record, as it was written. @param {string} path @returns {Promise<any>} @throws {NotReadyError} */
export async function readManifest(path) {
	const text = readPrivate(path);
	const manifest = jsonIn(String(text ?? ''));
	if (isRow(manifest)) return manifest;
	const found = text === null ? 'no such file' : manifest === null ? 'no JSON in it' : 'other JSON';
	throw new NotReadyError(
		`${path}: expected the manifest of a run; found ${found}.`,
		`name the folder of a run that is whole; "${formatCommand(['list'])}" says which there are.`,
	);
}

/** @param {any} manifest @param {string} path @throws {NotReadyError} where it is not what the run wrote */
function refuseChanged(manifest, path) {
	const found = isSealWhole(manifest) ? lackOf(manifest) : 'that something in it was changed afterwards';
	if (found === null) return;
	throw new NotReadyError(
		`${path}: expected the manifest as the run left it; found ${found}.`,
		'put the file back as it was, or measure again: without it nothing in the record can be read.',
	);
}

/** @type {[name: string, isSuch: (value: any) => boolean, what: string][]} */
const NEEDED = [
	['run', (value) => typeof value === 'string', 'a text'],
	['architecture', (value) => typeof value === 'string', 'a text'],
	['scenario', (value) => Object.hasOwn(scenarios, value), 'a scenario'],
	['shape', (value) => isRow(value) && Array.isArray(value.stages), 'a shape of a load'],
	['machine', isRow, 'a machine'],
	['warnings', Array.isArray, 'a list'],
	['services', (value = []) => Array.isArray(value) && value.every(isService), 'a list of services with names'],
	['files', (value = []) => Array.isArray(value) && value.every(isKept), 'a list of files'],
];

/** @param {any} one */
const isService = (one) => isRow(one) && typeof one.name === 'string' && typeof one.tier === 'string';

/** @param {any} one */
const isKept = (one) => isRow(one) && typeof one.path === 'string' && typeof one.digest === 'string';

/** Of one that has no seal. @param {any} manifest @returns {string | null} */
function lackOf(manifest) {
	const wrong = NEEDED.find(([name, isSuch]) => !isSuch(manifest[name]));
	return wrong ? `no ${wrong[0]} in it that is ${wrong[2]}` : null;
}

/** @param {any} manifest  lifted @throws {NotReadyError} */
function refuseOld({ schema, run }) {
	if (schema === MANIFEST_SCHEMA_VERSION) return;
	throw new NotReadyError(
		`${run}: expected a record in which every request has an id (schema 2 or later); found schema ${schema}, of an earlier version of Doubletake.`,
		'measure it again; the result and report that are in its folder stay as they are.',
	);
}

/** @template T @param {Map<string, T[]>[]} maps @returns {Map<string, T[]>} */
function joined(maps) {
	const all = new Map();
	for (const map of maps) for (const [key, values] of map) all.set(key, [...(all.get(key) ?? []), ...values]);
	return all;
}
