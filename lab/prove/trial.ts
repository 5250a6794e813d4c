/**
 * Makes one copy of a system with one thing changed, and measures it under the load of a trial. Nothing of the user's files changes: a change is
 * a Compose file of its own, laid over theirs, and stays beside the proof, so that anybody can lay it over them by hand.
 */

import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { Document, isSeq, visit } from 'yaml';
import { makePrivate } from '../base/files.ts';
import { secrets } from '../base/secrets.ts';
import type { Project } from '../catalog/project-schema.ts';
import type { Measurable } from '../compare/systems.ts';
import { measurable } from '../compare/systems.ts';
import { readFaults } from '../options/fault-plan.ts';
import type { LiveChange, SwitchTurn } from '../options/trial.ts';
import type { TargetSettings } from '../run/run-target.ts';
import { describedAs } from '../target/described.ts';
import type { Probe } from './probes.ts';

type Settings = TargetSettings;

/** of the load of all trials */
export type Form = {
	/** null: the whole load */
	cut_s: number | null;
	/** that are held from its first second; null: who comes when is as in the run */
	users: number | null;
	/** seconds that a script's load is held after its cut */
	hold_s?: number;
};

/** Below the proof's folder. */
const CHANGES = 'changes';
/** A file of settings is read up to 10 MB (base/bounded-file.ts). */
const CHANGE_MOST_BYTES = 50_000_000;
/** A mounted file is read by the user that its service runs as. */
const READABLE = 0o644;
/** Lists that Compose would join with those of the user's files. https://docs.docker.com/reference/compose-file/merge/ */
const REPLACED = ['tmpfs'];

type Given = {
	described: { name: string; folder: string; project: Project };
	/** of the run that is to be explained */
	settings: Settings;
	form: Form;
	/** its load began without a good answer of what was asked in its place */
	isUnanswered: boolean;
	proofFolder: string;
};

/** @param probe null: the system as it is */
export async function trialOf(
	probe: Probe | null,
	{ described, settings: asked, form, isUnanswered, proofFolder }: Given,
): Promise<Measurable> {
	const faults = [...asked.faults, ...readFaults(probe?.fault)];
	const settings = { ...asked, faults, expect: [], strict: false };
	if (probe?.system !== undefined)
		return measurable({ ...describedAs(probe.system), settings: { ...settings, architecture: probe.system, trial: trialIn(form) } });
	const { project } = described;
	const isScript = project.load.script !== undefined;
	const cutS = form.cut_s === null ? null : Math.max(form.cut_s, probe?.least_s ?? 0);
	const trial = trialIn({ cut_s: cutS, users: probe?.users ?? form.users });
	const change = { ...(cutS === null ? {} : { cut_s: cutS }), ...(form.hold_s ? { hold_s: form.hold_s } : {}), ...probe?.load };
	const load = {
		...project.load,
		...(probe?.urls ? { urls: probe.urls } : {}),
		...(isScript && Object.keys(change).length > 0 ? { change } : {}),
	};
	const laid = await writeChange(probe, { folder: described.folder, proofFolder });
	return measurable({
		...described,
		project: { ...project, load, compose: [...project.compose, ...laid] },
		settings: { ...settings, trial: { ...asked.trial, ...(isScript ? {} : trial), isUnanswered } },
	});
}

/** The system as it is, of which a change is switched on and off in turns. */
export function switchedTrialOf(
	probe: Probe,
	{ live, turns, ...given }: Given & { live: LiveChange; turns: SwitchTurn[] },
): Promise<Measurable> {
	const { file } = probe;
	const isOfFile = file !== undefined && live.kind === 'file';
	const change = isOfFile ? { ...live, path: copyPath(probe.id, file.source, given.proofFolder) } : live;
	const asItIs = isOfFile ? { ...probe, services: undefined, file: { ...file, text: file.was } } : null;
	return trialOf(asItIs, { ...given, settings: { ...given.settings, trial: { switching: { change, turns } } } });
}

const trialIn: (form: Form) => NonNullable<Settings['trial']> = ({ cut_s: cutS, users }) => ({
	...(cutS === null ? {} : { cut_s: cutS }),
	...(users === null ? {} : { users }),
});

const fileNameOf = (id: string) => id.replaceAll(/[^\w.+-]+/g, '-').slice(0, 80);

const copyPath = (id: string, source: string, proofFolder: string) => join(proofFolder, CHANGES, `${fileNameOf(id)}-${basename(source)}`);

/**
 * @param given folder: of doubletake.yaml
 * @returns Compose files to lay over the others, as they are named from the folder
 */
async function writeChange(probe: Probe | null, { folder, proofFolder }: { folder: string; proofFolder: string }): Promise<string[]> {
	if (probe?.compose !== undefined) return [probe.compose];
	if (probe?.services === undefined && probe?.file === undefined) return [];
	const changes = join(proofFolder, CHANGES);
	await makePrivate(changes);
	const name = fileNameOf(probe.id);
	const services = structuredClone(probe.services ?? {});
	if (probe.file) {
		const { source, target, text } = probe.file;
		const copy = copyPath(probe.id, source, proofFolder);
		await writeFile(copy, text);
		await chmod(copy, READABLE);
		for (const service of probe.service.split(', '))
			services[service] = { ...services[service], volumes: [{ type: 'bind', source: copy, target, read_only: true }] };
	}
	const path = join(changes, `${name}.yaml`);
	await writeFile(path, changeText(services, probe.title));
	return [relative(folder, path)];
}

/**
 * What stays of changes that no copy needs any more, also of a program that was killed: without the values that are known as secret.
 * @param proofs folder of all proofs of a system
 */
export async function clearSecrets(proofs: string) {
	// No link is followed.
	for (const entry of await readdir(proofs, { recursive: true, withFileTypes: true }).catch(() => [])) {
		if (!entry.isFile() || basename(entry.parentPath) !== CHANGES) continue;
		const path = join(entry.parentPath, entry.name);
		// A change is small: what is larger came from elsewhere.
		if ((await stat(path)).size > CHANGE_MOST_BYTES) continue;
		const text = await readFile(path, 'utf8');
		const kept = secrets.without(text);
		if (kept !== text) await writeFile(path, kept);
	}
}

function changeText(services: Record<string, any>, title: string): string {
	const document = new Document({ services });
	document.commentBefore = ` Laid over the Compose files of the system by doubletake prove: ${title}.`;
	visit(document, {
		Pair(_, pair) {
			const key = (pair.key as any)?.value;
			if (REPLACED.includes(key) && isSeq(pair.value)) pair.value.tag = '!override';
		},
	});
	return document.toString();
}
