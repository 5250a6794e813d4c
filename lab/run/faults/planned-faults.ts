/**
 * The faults that can be put into a system, and how they are laid into its files: those that the adapters of its services know, bound to these,
 * and those that name their system, its load and its services themselves.
 */

import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OverlayPart } from '../../adapters/contract.ts';
import type { Change, PlannedFault, ProductFault, Put } from '../../adapters/faults.ts';
import { CALLER, CONTROL } from '../../adapters/faults.ts';
import { adapterOf } from '../../adapters/registry.ts';
import { faults, NOT_INJECTED, NOT_TRIED } from '../../adapters/shipped-faults.ts';
import { NotInjectedError, NotReadyError } from '../../base/errors.ts';
import { ROOT } from '../../base/paths.ts';
import { ownOf } from '../../base/values.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { causes } from '../../record/causes.ts';
import type { Tier } from '../../record/types.js';
import type { AttachedService } from '../../target/compose-model.ts';
import type { Original } from '../../target/describe.ts';
import { originalAt, projectService } from '../../target/describe.ts';
import type { CheckedSystem } from '../project/checked-system.ts';
import type { Injection } from '../run-target.ts';

type Fault = Injection['put'];

/** @returns by id, those that name their system */
export const namedFaults = (): Map<string, PlannedFault> =>
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
 * @param read a file of this machine; null where it is not there
 * @returns by id, the control first
 */
export function planFaults(
	{ models, parts }: Pick<CheckedSystem, 'models' | 'parts'>,
	project: Project,
	read: (file: string) => string | null,
): Map<string, PlannedFault> {
	const passed = models.filter(({ service, replicas }) => replicas > 0 && projectService(project, service).tier !== 'other');
	const faults = firstsOf(passed, project).flatMap((model) => {
		const { product } = projectService(project, model.service);
		const found = adapterOf(product)?.faults?.(model) ?? [];
		return found.map((fault) => boundTo(fault, model, project, whyNot(fault, { model, part: ownOf(parts, model.service) ?? {}, read })));
	});
	return new Map([control(), ...faults].map((fault) => [fault.id, fault]));
}

/** @returns a run in which nothing may be at fault */
const control = (): PlannedFault => ({
	id: CONTROL,
	title: 'nothing (control)',
	demand: { expected: [] },
	service: '',
	how: null,
	cannot: null,
	level: 0,
	...OF_ANY,
});

function boundTo(fault: ProductFault, { service }: AttachedService, project: Project, cannot: string | null): PlannedFault {
	const { tier, watch } = projectService(project, service);
	const expected = fault.expected.map(({ cause, tier: other }) => ({
		tier: (other ?? tier) as Tier,
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

/** Of services that are like each other only the first gets faults; it counts how many they are. */
function firstsOf(models: AttachedService[], project: Project): AttachedService[] {
	const firsts: Map<string, AttachedService> = new Map();
	for (const model of models) {
		const key = kindOf(model, project);
		const first = firsts.get(key) ?? { ...model, replicas: 0 };
		firsts.set(key, { ...first, replicas: first.replicas + model.replicas });
	}
	return [...firsts.values()];
}

/** Two services are of one kind when nothing tells them apart but their names. */
function kindOf({ service, image, command, mounts }: AttachedService, project: Project): string {
	const { tier, product } = projectService(project, service);
	const askedBy = project.edges.filter(([, to]) => to === service).map(([from]) => from);
	const asks = project.edges.filter(([from]) => from === service).map(([, to]) => to);
	return JSON.stringify([tier, product, image, command, mounts, askedBy.toSorted(), asks.toSorted()]);
}

function whyNot(
	{ cannot, change, command }: ProductFault,
	{ model, part, read }: { model: AttachedService; part: OverlayPart; read: (file: string) => string | null },
): string | null {
	if (cannot !== undefined) return cannot;
	if (command && command(part.command) === null) return 'it cannot be told which words of its command start the program';
	return change ? whyNoChange(change, model, read) : null;
}

/** A file of an image is read only when the image is there. */
function whyNoChange(
	{ path, name, changed, lacking }: Change,
	model: AttachedService,
	read: (file: string) => string | null,
): string | null {
	const configuration = { name, overlaid: (text: string) => ({ text, changes: [] }) };
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
 * @param put null: none
 * @returns with what of the fault is otherwise before the system comes up
 * @throws {NotInjectedError} when there is nothing that it could change
 */
export const withFault = (checked: CheckedSystem, put: Fault): CheckedSystem =>
	put === null ? checked : withChange(put.how, put.service, withCommand(put.how, put.service, checked));

function withCommand({ command }: Pick<Put, 'command'>, service: string, checked: CheckedSystem): CheckedSystem {
	const part = ownOf(checked.parts, service) ?? {};
	const whole = command?.(part.command);
	return whole ? { ...checked, parts: { ...checked.parts, [service]: { ...part, command: whole } } } : checked;
}

function withChange({ title, change }: Pick<Put, 'title' | 'change'>, service: string, checked: CheckedSystem): CheckedSystem {
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

const changedBy: (change: Change, title: string) => Original['configuration']['overlaid'] = (change, title) => (text) => {
	const changed = change.changed(text);
	if (changed === null) throw new NotInjectedError(change.lacking);
	return { text: changed, changes: [`${title}.`] };
};

/** The lab's own changes come after the fault's, so that it is watched as ever. */
function inFrontOf(laid: Original, overlaid: Original['configuration']['overlaid']): Original {
	const { name, overlaid: watched } = laid.configuration;
	const both = (text: string) => {
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
 * @param put null: none
 * @param folder that the files lie in
 * @param namesOf label doubletake.name to Compose's service
 */
export async function besides(
	put: Fault,
	folder: string,
	namesOf: () => Promise<Record<string, string>>,
): Promise<{ files: string[]; variables: Record<string, string> }> {
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
 * @param byName label doubletake.name to Compose's service
 * @param copy folder with what is changed
 */
function overrideOf(
	{ services = {}, networks = [], change }: Pick<Put, 'services' | 'networks' | 'change'>,
	byName: Record<string, string>,
	copy: string | null,
) {
	const own: Record<string, any> = Object.fromEntries(Object.entries(services).map(([name, settings]) => [byName[name], settings]));
	if (change?.service && copy) {
		const changed = byName[change.service];
		own[changed] = { ...own[changed], volumes: [`${copy}:${change.path}:ro`] };
	}
	return { services: own, networks: Object.fromEntries(networks.map((name) => [name, { labels: OF_THE_LAB }])) };
}

/** of the changed copy */
async function changedFolder({ name, changed }: Change, folder: string): Promise<string> {
	const target = join(folder, name);
	await cp(join(ROOT, name), target, { recursive: true });
	for (const file of (await readdir(target)).filter((one) => one.endsWith('.conf'))) {
		const text = await readFile(join(target, file), 'utf8');
		await writeFile(join(target, file), changed(text) ?? text);
	}
	return target;
}
