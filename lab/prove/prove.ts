/**
 * The command `prove`: takes a run in which requests failed, shows the trouble again in a copy, changes one thing at a time in further copies,
 * and says which change ends it. Which copy comes next, and when it is enough, decide.ts says.
 */

import { join, relative } from 'node:path';
import { EXIT, LabError, NotInjectedError, NotReadyError, RunFailedError, UnansweredError, UnreadyMachineError } from '../base/errors.ts';
import { folderInRecord, makePrivate } from '../base/files.ts';
import { formatProjectCommand } from '../base/format-command.ts';
import { newFolderName, RECORD, REPORTS } from '../base/paths.ts';
import type { Around, Progress } from '../base/progress.ts';
import { writeFileAtomic } from '../base/whole-file.ts';
import { quietly } from '../compare/plan.ts';
import type { Measurable } from '../compare/systems.ts';
import { readManifest } from '../diagnose/read-raw.ts';
import { analyseRun } from '../diagnose/result.ts';
import { ensureGenerator } from '../docker/images.ts';
import { takeLock } from '../docker/lock.ts';
import { readScript } from '../load/user-script.ts';
import type { Permission } from '../options/allowed.ts';
import { optionsOfCommand } from '../options/known-command.ts';
import { readSettings } from '../options/settings.ts';
import type { LiveChange } from '../options/trial.ts';
import { PROOF_FILE } from '../record/proof.ts';
import type { Result } from '../record/types.js';
import { proofLines } from '../report/proof.ts';
import { finishRun, writeIndex } from '../report/reports.ts';
import { runFolderOf } from '../report/run-folder.ts';
import { checkSystem, resolveSide } from '../run/project/checked-system.ts';
import { describedAgain } from '../target/described.ts';
import { openCheckouts } from '../target/revision.ts';
import type { Copy } from './decide.ts';
import { copiesOf, isShown, nextCopy, RULE, shareOf, showsTrouble } from './decide.ts';
import { imageViews } from './image-view.ts';
import type { Pair, Switched } from './live.ts';
import { liveTurns, pairsOf } from './live.ts';
import { eachLoadRequest } from './load-requests.ts';
import { ownFiles } from './own-files.ts';
import type { Probe } from './probes.ts';
import { freshOf, probesOf } from './probes.ts';
import { proofOf } from './proof.ts';
import { remediesOf } from './remedies.ts';
import type { Form } from './trial.ts';
import { clearSecrets, switchedTrialOf, trialOf } from './trial.ts';
import type { Trouble } from './trouble.ts';
import { copyOf, troubleOf } from './trouble.ts';

/** In which further changes are begun; what is begun is brought to its end. */
const LIMIT_S = 360;
/** A held load shows at once what a rise to it showed. */
const HELD_S = 12;
/** For which a load goes on with a change that has ended the trouble once. */
const LATER_S = 30;
/** Of the order of turns. */
const SEEDS = 2 ** 31;
/** Of the run, before which a rise costs more than a warm-up. */
const RISE_S = 10;

/**
 * @param path of the run's folder; the last one of the folder's system unless given
 * @param flags relief: a Compose file that is laid over the others, and is all that is tried
 * @param around folder: of doubletake.yaml
 * @returns exit code: 0 when something is proved, or nothing is to be proved; 6 when nothing is decided, 7 when no copy showed the trouble
 * @throws {NotReadyError} when the run cannot be explained by copies of what is here
 */
export async function prove(
	path: string | undefined,
	{ relief }: { relief?: string },
	env: Record<string, string | undefined>,
	{ folder, permission, reporter, signal }: { folder: string; permission: Permission } & Around,
): Promise<number> {
	const { say } = reporter.progress;
	const runFolder = await runFolderOf('prove', path, folder);
	const manifest = await readManifest(join(runFolder, RECORD.manifest));
	const result = await analyseRun(runFolder, 'prove');
	const trouble = troubleOf(result);
	const about = { run: result.run, architecture: result.architecture, started: new Date().toISOString() };
	if (trouble === null) {
		const { failures, unanswered } = result.metrics;
		const failed = failures + unanswered;
		const found =
			failed === 0 ? 'No request failed in this run' : `${failed} requests failed in this run, too few for a copy to show again`;
		reporter.tell(`  ${found}, and its answers were not slow for long: there is nothing to prove.\n`);
		reporter.give({ result: { ...about, outcome: 'nothing' } });
		return EXIT.done;
	}
	const began = performance.now();
	const system = await openProved({ manifest, result, trouble, folder, relief, env, permission, say, signal });
	if (system.probes.length === 0) {
		const [what] = planLines(trouble, [], result);
		reporter.tell(`  ${what} No change is known that could be tried.\n`);
		reporter.give({ result: { ...about, outcome: 'undecided' } });
		return EXIT.inconclusive;
	}
	const release = await takeLock(say);
	const proofs = folderInRecord(REPORTS, join(result.architecture, 'proofs'));
	const proofFolder = join(proofs, newFolderName());
	try {
		await clearSecrets(proofs);
		await makePrivate(proofFolder);
		for (const line of planLines(trouble, system.probes, result)) say(line);
		const made = await makeCopies({ ...system, trouble, proofFolder, began, progress: reporter.progress, signal });
		// An earlier proof is worth more than one that was cut off.
		if (signal.aborted) return EXIT.interrupted;
		const proof = proofOf({
			...about,
			...made,
			load: `${formWords(made.form)}${countedWords(trouble)}`,
			trouble,
			probes: system.probes,
			tookS: (performance.now() - began) / 1000,
		});
		await writeFileAtomic(join(runFolder, PROOF_FILE), `${JSON.stringify(proof, null, 1)}\n`);
		await finishRun(runFolder);
		await writeIndex();
		reporter.tell(
			proofLines(proof)
				.map((line) => `  ${line}\n`)
				.join(''),
		);
		const report = relative(process.cwd(), join(runFolder, RECORD.report));
		reporter.tell(`  report: ${report}\n`);
		reporter.give({ folder: relative(process.cwd(), runFolder), report, result: proof });
		return proof.outcome === 'proved' ? EXIT.done : proof.outcome === 'not-shown' ? EXIT.notShown : EXIT.inconclusive;
	} finally {
		await clearSecrets(proofs);
		await release();
	}
}

/** The system of the run, as it can be measured again, and what is to be tried of it. */
async function openProved({
	manifest,
	result,
	trouble,
	folder,
	relief,
	env,
	permission,
	say,
	signal,
}: {
	manifest: any;
	result: Result;
	trouble: Trouble;
	folder: string;
	relief?: string;
	env: Record<string, string | undefined>;
	permission: Permission;
	say: (text: string) => void;
	signal: AbortSignal;
}) {
	const { architecture: name } = result;
	const described = await describedAgain(name, folder);
	const { BUSY, IMAGES } = env;
	const isUnanswered = manifest.unanswered_before_load === true;
	const settings = readSettings(name, { ...optionsOfCommand(manifest.command), BUSY: BUSY || 'allow', IMAGES }, permission);
	const { remedies = [], load } = described.project;
	// Its load is in the very Compose files, and what may help in systems of its own.
	if (load.scenario !== undefined)
		return { described, settings, probes: remediesOf(remedies, trouble.places[0]?.cause ?? ''), isScript: false, isUnanswered };
	const { project } = described;
	const checkouts = openCheckouts(folder);
	try {
		const asked = { folder, project, checkouts, allowed: permission.allowed };
		const side = { option: 'prove', given: [], files: null, variables: {}, revision: null, options: {} };
		const { config, models, fingerprint } = await resolveSide(side, asked);
		refuseChanged(manifest, fingerprint);
		if (relief !== undefined) {
			const compose = [...project.compose, relief];
			await resolveSide({ ...side, option: '--relief', files: compose }, asked);
			// What could do harm is refused before a copy is made, and not when its turn comes.
			await checkSystem({ folder, project: { ...project, compose }, arm: null, settings });
		}
		const { variables } = await ensureGenerator({ mode: settings.images, say, signal });
		const script = await readScript({ project, folder, allowed: permission.allowed, image: variables.K6_IMAGE, say: () => {} });
		const scenarios = script?.scenarios ?? [];
		const { faults } = settings;
		const faultsS = Math.max(0, ...faults.map(({ at_s: at, lasts_s: lasts }) => at + (lasts ?? 0)));
		const put = { faults_s: faultsS, faulty: faults.map(({ service }) => service) };
		const images = await imageViews(manifest, models, folder);
		const tried = { trouble, result, project, config, models, scenarios, ...put, images, ...ownFiles(folder) };
		const probes = relief === undefined ? probesOf(tried) : [reliefProbe(relief)];
		return { described, settings, probes, isScript: project.load.script !== undefined, isUnanswered };
	} finally {
		await checkouts.close();
	}
}

function refuseChanged({ system, run }: any, fingerprint: string): void {
	const before = system?.fingerprints?.files;
	if (before === undefined || before === fingerprint) return;
	throw new NotReadyError(
		`prove: expected Compose to make of its files what it made for the run ${run}; it makes something else of them now.`,
		`measure the system as it is now (${formatProjectCommand(['run'])}), and prove that run.`,
	);
}

const reliefProbe = (file: string): Probe => ({
	id: `relief:${file}`,
	kind: 'relief',
	service: '',
	title: `${file} laid over the other Compose files`,
	compose: file,
});

function planLines(trouble: Trouble, probes: Probe[], { run }: Result): string[] {
	const [worst] = trouble.places;
	const where = worst === undefined ? 'at a place that is not known' : `most of them at ${worst.service}: ${worst.title}`;
	const slow = worst === undefined ? '' : `; the bottleneck was ${worst.service}: ${worst.title}`;
	return [
		trouble.slow_ms === null
			? `${run}: ${trouble.failed} of ${trouble.requests} requests failed, ${where}.`
			: `${run}: ${trouble.failed} of ${trouble.requests} seconds were slow (p95 of ${Math.round(trouble.slow_ms)} ms or more)${slow}.`,
		`prove shows that again in a copy, then changes one thing at a time, for about ${Math.ceil(LIMIT_S / 60)} minutes:`,
		...probes.map(({ title }, index) => `${index + 1}. with ${title}`),
	];
}

/**
 * the shortest load first
 * @param given isSwitched: within the load a change is to be switched on and off
 */
function formsOf(trouble: Trouble, { isScript, probes, isSwitched }: { isScript: boolean; probes: Probe[]; isSwitched: boolean }): Form[] {
	const wanted = Math.max(trouble.cut_s, probes[0]?.least_s ?? 0);
	const cut = wanted >= trouble.load_s ? null : wanted;
	const mayBeHeld = !isScript && trouble.from_s === 0 && trouble.users !== null && (isSwitched || trouble.onset_s > RISE_S);
	const held = mayBeHeld ? [{ cut_s: HELD_S, users: trouble.users }] : [];
	return [...held, ...(cut === null ? [] : [{ cut_s: cut, users: null }]), { cut_s: null, users: null }];
}

type Made = {
	form: Form;
	copies: (Copy & { run: string })[];
	switched: Record<string, Switched>;
	refused: Record<string, string>;
	state: ReturnType<typeof nextCopy>;
};

/**
 * The same load, which goes on for some seconds more.
 * @returns same_s: until which it is the same; null where it cannot be made to go on
 */
function goingOn(
	form: Form,
	seconds: number,
	{ loadS, isScript }: { loadS: number; isScript: boolean },
): (Form & { same_s: number }) | null {
	const sameS = form.cut_s ?? loadS;
	// A script's load is held at what it has come to; another one without a number of users goes on as far as it goes.
	if (isScript) return { cut_s: sameS, users: null, hold_s: seconds, same_s: sameS };
	return form.users !== null || sameS + seconds <= loadS ? { ...form, cut_s: sameS + seconds, same_s: sameS } : null;
}

async function makeCopies({
	described,
	settings,
	probes: planned,
	isScript,
	isUnanswered,
	trouble,
	proofFolder,
	began,
	progress,
	signal,
}: Awaited<ReturnType<typeof openProved>> & {
	trouble: Trouble;
	proofFolder: string;
	began: number;
	progress: Progress;
	signal: AbortSignal;
}): Promise<Made> {
	const said = new Set() as Set<string>;
	const seed = Date.now() % SEEDS;
	const group = relative(REPORTS, proofFolder);
	let copies: (Copy & { run: string })[] = [];
	const refused: Record<string, string> = {};
	const measure = async (trial: Measurable) => {
		const { folder, interrupted } = await trial.measure({ group, progress: quietly(progress, said), signal });
		if (interrupted) return null;
		const measured = await finishRun(folder);
		if (!isWhole(measured)) throw new RunFailedError('The load of this copy, or its record, is not whole.');
		return { measured, folder };
	};
	const given = { described, settings, isUnanswered, proofFolder };
	const load = { loadS: trouble.load_s, isScript };
	const make = async (probe: Probe | null, form: Form, untilS: number | null = null) => {
		const made = await measure(await trialOf(probe, { ...given, form }));
		return made && copyIn(made.measured, probe, untilS);
	};
	const copyIn = (measured: Result, probe: Probe | null, untilS: number | null) => ({
		...copyOf(measured, { probe: probe?.id ?? null, slowMs: trouble.slow_ms, fromS: Math.max(probe?.from_s ?? 0, trouble.from_s), untilS }),
		run: measured.run,
	});
	const switched: Made['switched'] = {};
	/** As it was, and behind that with a change that is switched on and off. */
	const makeSwitched = async (probe: Probe, live: LiveChange, form: Form) => {
		const leadS = form.cut_s ?? trouble.load_s;
		const failedRps = trouble.failed / Math.max(1, trouble.load_s - trouble.onset_s);
		const planned = liveTurns({ failedRps, pairs: RULE.pairs, leadS, seed });
		const longer = planned && goingOn(form, planned.seconds + 1, load);
		if (!planned || !longer) return null;
		progress.say(`  then ${probe.title} is switched on and off in ${planned.turns.length} turns`);
		const made = await measure(await switchedTrialOf(probe, { ...given, live, form: longer, turns: planned.turns }));
		if (made === null) return null;
		const { measured, folder } = made;
		const manifest = (await readManifest(join(folder, RECORD.manifest))) as any;
		const pairs = pairsOf(manifest.switched ?? [], (take) => eachLoadRequest(folder, manifest, take));
		switched[probe.id] = { run: measured.run, pairs };
		return copyIn(measured, null, longer.same_s);
	};
	const withoutTurns = (error: Error) => {
		if (signal.aborted || !(error instanceof LabError)) throw error;
		progress.say(`  no copy could be measured so: ${error.message.split('\n')[0]}`);
		return null;
	};
	const [first] = planned;
	const live = trouble.slow_ms === null ? first?.live : undefined;
	const forms = formsOf(trouble, { isScript, probes: planned, isSwitched: live !== undefined });
	let form = forms[0];
	const ending = (state: Made['state']): Made => ({ form, copies, switched, refused, state });
	for (form of forms) {
		progress.say(`as it was, ${formWords(form)}${countedWords(trouble)}`);
		const switchedOne = live === undefined ? null : await makeSwitched(first, live, form).catch(withoutTurns);
		const made = switchedOne ?? (signal.aborted ? null : await make(null, form));
		if (made === null) return ending({ end: 'undecided' });
		copies = [made];
		progress.say(`  ${copyWords(made, trouble)}`);
		if (showsTrouble(made, trouble.share)) break;
	}
	const turns = switched[first?.id ?? ''];
	if (turns) progress.say(`  ${turnsWords(turns.pairs, trouble.share)}`);
	// Of a load that is held from its first second on, the trouble begins with it.
	const probes =
		form.users === null ? planned : planned.map((probe) => (probe.kind === 'fresh' ? freshOf(probe.service, { onset_s: 0 }) : probe));
	const isLate = () => (performance.now() - began) / 1000 > LIMIT_S;
	for (;;) {
		const able = probes.filter(({ id }) => refused[id] === undefined);
		const untried = able.filter(({ id }) => !copies.some(({ probe }) => probe === id));
		const shown = Object.keys(switched).filter((id) => isShown(switched[id].pairs, trouble.share));
		const state = nextCopy(copies, able, trouble.share, shown);
		if ('end' in state || signal.aborted) return ending(state);
		const probe = able.find(({ id }) => id === state.next) ?? null;
		if (isLate() && untried.some(({ id }) => id === probe?.id)) return ending({ end: 'undecided' });
		progress.say(probe === null ? 'as it was' : `with ${probe.title}`);
		// What has ended the trouble once may only put it off: that copy goes on for longer.
		const isLikely = probe !== null && (shown.includes(probe.id) || copiesOf(copies, probe.id).length === 1) && !isLate();
		const isSetting = probe?.services !== undefined || probe?.file !== undefined || probe?.compose !== undefined;
		const longer = isLikely && isSetting && trouble.slow_ms === null ? goingOn(form, LATER_S, load) : null;
		try {
			const made = await make(probe, longer ?? form, longer?.same_s);
			if (made === null) return ending({ end: 'undecided' });
			copies.push(made);
			progress.say(`  ${copyWords(made, trouble)}`);
		} catch (error) {
			// A service may refuse a value: that is the end of this change, and not of the proof. What the machine lacks is none of the change's doing.
			const isOfMachine = error instanceof UnreadyMachineError || error instanceof UnansweredError;
			const isOfChange = probe !== null && !isOfMachine && (error instanceof LabError || error instanceof NotInjectedError);
			if (!isOfChange || signal.aborted) throw error;
			refused[probe.id] = (error as Error).message.split('\n')[0];
			progress.say(`  no copy could be measured so: ${refused[probe.id]}`);
		}
	}
}

/** Rules of the validity by which a load was not made, or its record is not whole: how many failed of it says nothing. */
const NOT_WHOLE = ['incomplete', 'unwritten', 'file', 'lost-generator'];

/** Whether a copy says how many requests failed of its load. */
export const isWhole = ({ validity }: Result) =>
	!validity.doubts.some(({ rule, grade }) => grade === 'INVALID' && NOT_WHOLE.includes(rule.split(/[^\w-]/)[0]));

const formWords: (form: Form) => string = ({ cut_s: cutS, users }) =>
	cutS === null
		? 'under the whole load'
		: users === null
			? `for the first ${cutS} s of the load`
			: `with ${users} users held for ${cutS} s`;

const countedWords: (trouble: Trouble) => string = ({ from_s: from }) =>
	from === 0 ? '' : `, counted from second ${from} on, when the faults of the run had ended`;

/** @param share of the trouble */
function turnsWords(pairs: Pair[], share: number): string {
	if (pairs.length === 0) return 'it could not be switched on and off';
	const failed = (which: 'off' | 'on') => pairs.map((pair) => `${pair[which].failed} of ${pair[which].requests}`).join(', ');
	return `without it ${failed('off')} requests failed, with it ${failed('on')}${isShown(pairs, share) ? '' : '; the turns do not agree'}`;
}

const copyWords = (copy: Copy, { slow_ms: slowMs }: Trouble) =>
	`${copy.failed} of ${copy.requests} ${slowMs === null ? 'requests failed' : 'seconds were slow'} (${(100 * shareOf(copy)).toFixed(1)} %), ${Math.round(copy.good_rps)} good answers a second`;
