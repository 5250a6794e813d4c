/**
 * The faults that can be put into a system, and how they are laid into its files: those that the adapters of its services know, bound to these,
 * and those that name their system, its load and its services themselves.
 *
 * @typedef {Injection['put']} Fault
 *
 * @import { OverlayPart } from '../../adapters/contract.ts'
 * @import { Change, PlannedFault, ProductFault, Put } from '../../adapters/faults.ts'
 * @import { Project } from '../../catalog/project-schema.ts'
 * @import { Tier } from '../../record/types.js'
 * @import { AttachedService } from '../../target/compose-model.ts'
 * @import { Original } from '../../target/describe.ts'
 * @import { CheckedSystem } from '../project/checked-system.ts'
 * @import { Injection } from '../run-target.ts'
 */

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CALLER, CONTROL } from '../../adapters/faults.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { faults, NOT_INJECTED, NOT_TRIED } from '../../adapters/shipped-faults.ts';
import { NotInjectedError, NotReadyError } from '../../base/errors.ts';
import { ROOT } from '../../base/paths.ts';
import { ownOf } from '../../base/values.ts';
import { causes } from '../../record/causes.ts';
import { originalAt, projectService } from '../../target/describe.ts';

/** @returns {Map<string, PlannedFault>} by id, those that name their system */
export const namedFaults = () =>
	new Map(
		Object.entries(faults).map(([id, fault]) => [
			id,
			{
				...{ id, title: fault.title, demand: fault, service: '', how: fault, cannot: null, level: null, on: fault },
				...{ isShort: fault.short === true, mayBear: false },
				// Not every machine can make a way between containers a bad one.
				mayRefuse: (fault.actions ?? []).some(({ other }) => other !== undefined),
			},
		]),
	);

/** Causes that none of them produces, and what is known to happen and is not tried, with the reasons. */
export const NO_FAULTS = { ...NOT_INJECTED, ...NOT_TRIED };

/** Nobody knows beforehand what a system of any kind makes of a fault. */
const OF_ANY = { on: null, isShort: false, mayRefuse: true, mayBear: true };

/** What a refusal says of a change that a fault makes; there is always the way to leave the fault out. */
const PURPOSE = { what: 'a change of its configuration', otherwise: 'leave the fault out' };

/**
 * @param {Pick<import('../project/checked-system.ts').CheckedSystem, 'models' | 'parts'>} checked
 * @param {Project} project
 * @param {(file: string) => string | null} read  a file of this machine; null where it is not there
 * @returns {Map<string, PlannedFault>} by id, the control first
 */
export function planFaults({ models, parts }, project, read) {
	const passed = models.filter(({ service, replicas }) => replicas > 0 && projectService(project, service).tier !== 'other');
	const faults = firstsOf(passed, project).flatMap((model) => {
		const { product } = projectService(project, model.service);
		const found = adapterOf(product)?.faults?.(model) ?? [];
		return found.map((fault) => boundTo(fault, model, project, whyNot(fault, { model, part: ownOf(parts, model.service) ?? {}, read })));
	});
	return new Map([control(), ...faults].map((fault) => [fault.id, fault]));
}

/** @returns {PlannedFault} a run in which nothing may be at fault */
const control = () => ({
	id: CONTROL,
	title: 'nothing (control)',
	demand: { expected: [] },
	service: '',
	how: null,
	cannot: null,
	level: 0,
	...OF_ANY,
});

/** @type {(fault: ProductFault, model: AttachedService, project: Project, cannot: string | null) => PlannedFault} */
function boundTo(fault, { service }, project, cannot) {
	const { tier, watch } = projectService(project, service);
	const expected = fault.expected.map(({ cause, tier: other }) => ({
		tier: /** @type {Tier} */ (other ?? tier),
		cause,
		...(other === undefined ? { services: [service] } : {}),
		// What makes many failures of it is the system's own doing.
		amplifiers: Object.keys(causes),
		may: true,
	}));
	const misses = fault.near_misses?.map(({ ids, services = [service] }) => ({ ids, services }));
	const caller = project.edges.find(([, callee]) => callee === service)?.[0];
	const isOfWay = fault.actions?.some(({ other }) => other === CALLER);
	return {
		id: `${service}.${fault.id}`,
		title: fault.title,
		demand: { expected, least: fault.least, ...(misses ? { near_misses: misses } : {}) },
		service,
		how: { ...fault, actions: fault.actions?.map((action) => (action.other === CALLER ? { ...action, other: caller } : action)) },
		cannot: cannot ?? (isOfWay && caller === undefined ? 'nobody is known to ask it' : null),
		level: watch,
		...OF_ANY,
	};
}

/**
 * Of services that are like each other only the first gets faults; it counts how many they are.
 * @param {AttachedService[]} models
 * @param {Project} project
 * @returns {AttachedService[]}
 */
function firstsOf(models, project) {
	/** @type {Map<string, AttachedService>} */
	const firsts = new Map();
	for (const model of models) {
		const key = kindOf(model, project);
		const first = firsts.get(key) ?? { ...model, replicas: 0 };
		firsts.set(key, { ...first, replicas: first.replicas + model.replicas });
	}
	return [...firsts.values()];
}

/** Two services are of one kind when nothing tells them apart but their names. @type {(model: AttachedService, project: Project) => string} */
function kindOf({ service, image, command, mounts }, project) {
	const { tier, product } = projectService(project, service);
	const askedBy = project.edges.filter(([, to]) => to === service).map(([from]) => from);
	const asks = project.edges.filter(([from]) => from === service).map(([, to]) => to);
	return JSON.stringify([tier, product, image, command, mounts, askedBy.toSorted(), asks.toSorted()]);
}

/** @type {(fault: ProductFault, about: { model: AttachedService, part: OverlayPart, read: (file: string) => string | null }) => string | null} */
function whyNot({ cannot, change, command }, { model, part, read }) {
	if (cannot !== undefined) return cannot;
	if (command && command(part.command) === null) return 'it cannot be told which words of its command start the program';
	return change ? whyNoChange(change, model, read) : null;
}

/** A file of an image is read only when the image is there. @type {(change: Change, model: AttachedService, read: (file: string) => string | null) => string | null} */
function whyNoChange({ path, name, changed, lacking }, model, read) {
	const configuration = { name, overlaid: (/** @type {string} */ text) => ({ text, changes: [] }) };
	try {
		const { file } = originalAt(model, { path, configuration, purpose: PURPOSE });
		const text = file === null ? null : read(file);
		if (file !== null && text === null) return `there is no file ${file}`;
		return text === null || changed(text) !== null ? null : lacking;
	} catch (error) {
		if (!(error instanceof NotReadyError)) throw error;
		return error.message.split('\n')[0];
	}
}

/**
 * @param {CheckedSystem} checked
 * @param {Fault} put  null: none
 * @returns {CheckedSystem} with what of the fault is otherwise before the system comes up
 * @throws {NotInjectedError} when there is nothing that it could change
 */
export const withFault = (checked, put) =>
	put === null ? checked : withChange(put.how, put.service, withCommand(put.how, put.service, checked));

/** @type {(how: Pick<Put, 'command'>, service: string, checked: CheckedSystem) => CheckedSystem} */
function withCommand({ command }, service, checked) {
	const part = ownOf(checked.parts, service) ?? {};
	const whole = command?.(part.command);
	return whole ? { ...checked, parts: { ...checked.parts, [service]: { ...part, command: whole } } } : checked;
}

/** @type {(how: Pick<Put, 'title' | 'change'>, service: string, checked: CheckedSystem) => CheckedSystem} */
function withChange({ title, change }, service, checked) {
	if (change === undefined) return checked;
	const { path, name } = change;
	const { parts, originals, models } = checked;
	const overlaid = changedBy(change, title);
	const laid = originals.find((original) => original.service === service && original.path === path);
	if (laid) return { ...checked, originals: originals.map((original) => (original === laid ? inFrontOf(laid, overlaid) : original)) };
	const model = models.find((candidate) => candidate.service === service);
	if (model === undefined) throw new NotInjectedError(`${service} is no service of the system`);
	const part = ownOf(parts, service) ?? {};
	const mount = { source: `raw:${name}`, target: path, readOnly: true };
	return {
		...checked,
		originals: [...originals, originalAt(model, { path, configuration: { name, overlaid }, purpose: PURPOSE })],
		parts: { ...parts, [service]: { ...part, mounts: [...(part.mounts ?? []), mount] } },
	};
}

/** @type {(change: Change, title: string) => Original['configuration']['overlaid']} */
const changedBy = (change, title) => (text) => {
	const changed = change.changed(text);
	if (changed === null) throw new NotInjectedError(change.lacking);
	return { text: changed, changes: [`${title}.`] };
};

/** The lab's own changes come after the fault's, so that it is watched as ever. @type {(laid: Original, overlaid: Original['configuration']['overlaid']) => Original} */
function inFrontOf(laid, overlaid) {
	const { name, overlaid: watched } = laid.configuration;
	const both = (/** @type {string} */ text) => {
		const fault = overlaid(text);
		const whole = watched(fault.text);
		return { text: whole.text, changes: [...fault.changes, ...whole.changes] };
	};
	return { ...laid, configuration: { name, overlaid: both } };
}

/** By a label the lab knows what it made, and takes it down. */
const OF_THE_LAB = { 'doubletake.lab': 'yes' };

/**
 * What Compose is told of a fault beside the system's own file.
 * @param {Fault} put  null: none
 * @param {string} folder  that the files lie in
 * @param {() => Promise<Record<string, string>>} namesOf  label doubletake.name to Compose's service
 * @returns {Promise<{ files: string[], variables: Record<string, string> }>}
 */
export async function besides(put, folder, namesOf) {
	if (put === null) return { files: [], variables: {} };
	const { how } = put;
	const byName = await namesOf();
	const copy = how.change ? await changedFolder(how.change, folder) : null;
	const override = join(folder, 'fault.yaml');
	// JSON is YAML.
	await writeFile(override, JSON.stringify(overrideOf(how, byName, copy)));
	return { files: [override], variables: how.variables ?? {} };
}

/**
 * @param {Pick<Put, 'services' | 'networks' | 'change'>} how
 * @param {Record<string, string>} byName  label doubletake.name to Compose's service
 * @param {string | null} copy             folder with what is changed
 */
function overrideOf({ services = {}, networks = [], change }, byName, copy) {
	/** @type {Record<string, any>} */
	const own = Object.fromEntries(Object.entries(services).map(([name, settings]) => [byName[name], settings]));
	if (change?.service && copy) {
		const changed = byName[change.service];
		own[changed] = { ...own[changed], volumes: [`${copy}:${change.path}:ro`] };
	}
	return { services: own, networks: Object.fromEntries(networks.map((name) => [name, { labels: OF_THE_LAB }])) };
}

/** @type {(change: Change, folder: string) => Promise<string>} of the changed copy */
async function changedFolder({ name, changed }, folder) {
	const target = join(folder, name);
	await cp(join(ROOT, name), target, { recursive: true });
	for (const file of (await readdir(target)).filter((one) => one.endsWith('.conf'))) {
		const text = await readFile(join(target, file), 'utf8');
		await writeFile(join(target, file), changed(text) ?? text);
	}
	return target;
}
