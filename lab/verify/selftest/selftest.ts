/**
 * The test of the diagnosis itself: known faults, one run at a time, and whether each failed request is placed rightly.
 *
 * @typedef {object} SelftestTarget     what the faults are put into
 * @property {SelftestRecord['system']} system
 * @property {string} budget
 * @property {number} repeatsOfAll  runs of each fault, where all are tried and REPEATS says nothing
 * @property {(wanted: string) => string[]} choose  ids, in the order in which they are to be run; refuses what it does not know
 * @property {(id: string) => string | undefined} titleOf
 * @property {(id: string) => string | null} cannot  a clause that says why the fault cannot be put in, where that is known
 * @property {(id: string, given: { budget: string, progress: Progress, signal: AbortSignal }) => Promise<string>} measure  makes a run with
 *   the fault in it, and gives its folder
 * @property {(id: string, folder: string) => Promise<Score>} score  the diagnosis of such a run
 * @property {(left: string[]) => Promise<void>} [consent]  given the ids of the runs that are to be made; rejects where they are not wanted
 * @property {(id: string) => boolean} mayRefuse  whether a fault may turn out not to fit it, or this machine, which says nothing of the diagnosis
 *
 *
 * @import { Demand, PlannedFault } from '../../adapters/faults.ts'
 * @import { Around, Progress } from '../../cli/reporter.ts'
 * @import { Window } from '../../diagnose/time/window.ts'
 * @import { Score, SelftestRecord } from '../../record/selftest-total.ts'
 * @import { Result } from '../../record/types.js'
 */

import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { EXIT, NotInjectedError, NotReadyError, toUserError, UnreadyMachineError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { IS_CHECKOUT, REPORTS, ROOT } from '../../base/paths.ts';
import { gatherFacts } from '../../diagnose/ledger/facts.ts';
import { placementsOf } from '../../diagnose/placements.ts';
import { readRaw } from '../../diagnose/read-raw.ts';
import { windowOf } from '../../diagnose/time/window.ts';
import { eachStage, wholeLoad } from '../../diagnose/validity/grade.ts';
import { stolen } from '../../diagnose/validity/machine-doubts.ts';
import { describeMachine, takeLock } from '../../docker/lock.ts';
import { readOption } from '../../options/accepted-options.ts';
import { failedScore, isRight, RIGHT_LEAST, scoreRun, skippedScore, totalOf } from '../../record/selftest-total.ts';
import { formatSelftestMarkdown, renderSelftest, scoreTable } from '../../report/selftest.ts';
import { readCommit } from '../../run/components.ts';

/*
 * The record of a self-test below reports/, and the pages that are written from it.
 */

const FOLDER = join(REPORTS, 'selftest');

/**
 * Where a self-test leaves what it finds, and whom it waits for before it makes runs.
 *
 * @typedef {object} Place
 * @property {string} folder  of all self-tests
 * @property {string} docs    of the document that the repository shows
 * @property {(say: (text: string) => void) => Promise<() => Promise<void>>} lock  gives what releases it
 */

/** @type {Place} */
const PLACE = { folder: FOLDER, docs: IS_CHECKOUT ? join(ROOT, 'docs') : FOLDER, lock: takeLock };
/** Below it: a test of some faults must not cost the hours that one of all took. */
const SOME = 'some';
const RECORD_FILE = 'record.json';
const PAGE = 'index.html';
const MARKDOWN = 'diagnosis.md';
const SHORT_COMMIT = 7;
const GIB = 2 ** 30;

/** @param {Pick<SelftestRecord, 'wanted' | 'repeats' | 'budget' | 'system'>} how @returns {Promise<SelftestRecord>} without a run */
async function newRecord(how) {
	const { cores, cpu_model: processor, memory_bytes: memory, os } = await describeMachine();
	const now = new Date().toISOString();
	return {
		...how,
		started: now,
		ended: now,
		commit: await commitText(),
		machine: `${cores} cores ${processor}, ${Math.round(memory / GIB)} GiB, ${os}`,
		complete: false,
		scores: [],
	};
}

async function commitText() {
	const git = await readCommit();
	return git ? `${git.commit.slice(0, SHORT_COMMIT)}${git.changed ? ', with changes' : ''}` : 'unknown';
}

/** @param {Pick<SelftestRecord, 'wanted'>} record @param {string} folder of all self-tests */
const folderOf = ({ wanted }, folder) => (wanted === 'all' ? folder : join(folder, SOME));

/** After every run, so that an interrupted test loses one at most. @param {SelftestRecord} record @param {string} folder */
async function keepRecord(record, folder) {
	const own = folderOf(record, folder);
	await mkdir(own, { recursive: true });
	await writeFileAtomic(join(own, RECORD_FILE), `${JSON.stringify(record, null, 1)}\n`);
}

/**
 * @param {'again' | 'rest'} wanted  rest: of those that were cut off
 * @param {Pick<SelftestTarget, 'system'>} target  as it is today
 * @param {string} folder
 * @returns {Promise<SelftestRecord>} the last one, of that
 * @throws {NotReadyError} when there is none
 */
async function readLastRecord(wanted, { system }, folder) {
	const texts = await Promise.all([folder, join(folder, SOME)].map((own) => readFile(join(own, RECORD_FILE), 'utf8').catch(() => null)));
	const records = texts
		.flatMap((text) => (text === null ? [] : [/** @type {SelftestRecord} */ (JSON.parse(text))]))
		.filter(({ complete }) => wanted === 'again' || !complete)
		.sort((one, other) => one.ended.localeCompare(other.ended));
	const last = records.at(-1);
	if (last) return { ...last, system };
	const which = wanted === 'rest' ? ' that was cut off' : '';
	throw new NotReadyError(
		`FAULTS=${wanted}: expected the record of a self-test${which} below reports/selftest; found none.`,
		`run "${system.command}" first.`,
	);
}

/**
 * What the repository shows is written only when every fault was tried, of what is a document of it, and only in a checkout.
 * @param {SelftestRecord} record
 * @param {Place} into
 * @returns {Promise<string>} the page
 */
async function writePages(record, { folder, docs }) {
	const { wanted, complete, system } = record;
	const own = folderOf(record, folder);
	const page = join(own, PAGE);
	const markdown = formatSelftestMarkdown(record);
	await mkdir(own, { recursive: true });
	await writeFileAtomic(page, renderSelftest(record));
	await writeFileAtomic(join(own, MARKDOWN), markdown);
	if (wanted === ALL && complete && system.is_document) await writeFileAtomic(join(docs, MARKDOWN), markdown);
	return page;
}

/** Every fault that there is. */
export const ALL = 'all';
/** Words of FAULTS that name no faults: of what a self-test left, those are scored again, or gone on with. */
export const AGAIN = 'again';
export const REST = 'rest';

/**
 * @param {SelftestTarget} tested
 * @param {Record<string, string | undefined>} env  FAULTS: `all` (default), what the subject knows, `rest` or `again`; REPEATS: runs of each
 * @param {Around} around
 * @param {Place} [place]
 * @returns {Promise<number>} exit code: 0 when every fault is diagnosed rightly
 */
export async function testDiagnosis(tested, env, { reporter, signal }, place = PLACE) {
	const wanted = readOption('FAULTS', env);
	const { progress } = reporter;
	const record =
		wanted === AGAIN
			? await scoreAgain(tested, progress, place)
			: await tryFaults(
					tested,
					wanted === REST ? await readLastRecord(REST, tested, place.folder) : await planned(tested, wanted, env),
					{ progress, signal },
					place,
				);
	const total = totalOf(record.scores);
	const page = relative(process.cwd(), await writePages(record, place));
	reporter.tell(`\n${scoreTable(record.scores).join('\n')}\n\n${total.passed} of ${total.faults} faults were diagnosed rightly.\n`);
	reporter.tell(`  page: ${page}\n`);
	reporter.give({ report: page, result: { total, record } });
	return total.passed === total.faults ? EXIT.done : EXIT.failed;
}

/** @param {SelftestTarget} target @param {string} wanted @param {Record<string, string | undefined>} env @returns {Promise<SelftestRecord>} without a run yet */
async function planned({ choose, repeatsOfAll, budget, system }, wanted, env) {
	choose(wanted);
	const repeats = readOption('REPEATS', env) ?? (wanted === ALL ? repeatsOfAll : 1);
	return newRecord({ wanted, repeats, budget, system });
}

/** @type {(target: SelftestTarget, record: SelftestRecord, around: { progress: Progress, signal: AbortSignal }, place: Place) => Promise<SelftestRecord>} */
async function tryFaults(target, record, { progress, signal }, place) {
	const left = runsLeft(record, target);
	await target.consent?.(left);
	const release = await place.lock(progress.say);
	try {
		for (const [index, id] of left.entries()) {
			progress.say(`run ${index + 1} of ${left.length}: ${id}: ${target.titleOf(id)}`);
			const score = await tryTwice(target, id, { budget: record.budget, progress, signal, isFirst: record.scores.length === 0 });
			signal.throwIfAborted();
			record.scores.push(score);
			record.ended = new Date().toISOString();
			record.complete = index === left.length - 1;
			sayScore(progress, score, left);
			await keepRecord(record, place.folder);
			await writePages(record, place);
		}
	} catch (error) {
		if (record.scores.length > 0) progress.say(`what was judged is kept; FAULTS=${REST} goes on with it`);
		throw error;
	} finally {
		await release();
	}
	return record;
}

/**
 * All faults once, then all again: what changes with the hour is not the fault's.
 * @param {Pick<SelftestRecord, 'wanted' | 'repeats' | 'scores'>} record
 * @param {Pick<SelftestTarget, 'choose'>} target
 * @returns {string[]} ids, in the order in which they are to be run
 */
function runsLeft({ wanted, repeats, scores }, { choose }) {
	const chosen = choose(wanted);
	return Array.from({ length: repeats }, () => chosen)
		.flat()
		.slice(scores.length);
}

/** @param {SelftestTarget} tested @param {Progress} progress @param {Place} place @returns {Promise<SelftestRecord>} */
async function scoreAgain(tested, progress, { folder }) {
	const before = await readLastRecord(AGAIN, tested, folder);
	const ids = before.scores.map(({ fault }) => fault);
	const scores = [];
	for (const old of before.scores) {
		const { fault, run } = old;
		const score = run === '' || tested.titleOf(fault) === undefined ? old : await tested.score(fault, join(REPORTS, run));
		sayScore(progress, score, ids);
		scores.push(score);
	}
	const record = { ...before, commit: await commitText(), scores };
	await keepRecord(record, folder);
	return record;
}

/** Its line of the table that all of them make. @type {(progress: Progress, score: Score, ids: string[]) => void} */
function sayScore(progress, score, ids) {
	for (const line of scoreTable([score], ids).slice(1)) progress.say(line);
}

/** @typedef {{ budget: string, progress: Progress, signal: AbortSignal, isFirst: boolean }} Given */

/**
 * On a machine that was taken away from it, a run that comes out wrong says nothing of the diagnosis. It is made once more, as an
 * INVALID run of an experiment is.
 * @param {SelftestTarget} tested @param {string} id @param {Given} given @returns {Promise<Score>}
 */
async function tryTwice(tested, id, given) {
	const first = await tryFault(tested, id, given);
	if (first.spoilt === undefined || given.signal.aborted) return first;
	given.progress.say(`  once more: ${first.spoilt}`);
	const second = await tryFault(tested, id, given);
	return second.spoilt === undefined ? second : skippedScore(id, second.spoilt, second.run);
}

/** @type {(target: SelftestTarget, id: string, given: Given) => Promise<Score>} */
async function tryFault(target, id, { isFirst, ...given }) {
	const why = target.cannot(id);
	if (why !== null) return skippedScore(id, why);
	let run = '';
	try {
		const folder = await target.measure(id, given);
		run = relative(REPORTS, folder);
		return await target.score(id, folder);
	} catch (error) {
		// One fault that cannot be put in must not cost the hour that the others take. What is not ready shows at once; the machine may stop
		// being so, and no fault is diagnosed wrongly where none was put in.
		const isUnready = toUserError(error) instanceof UnreadyMachineError || (isFirst && error instanceof NotReadyError);
		if (given.signal.aborted || isUnready) throw error;
		if (error instanceof NotInjectedError && target.mayRefuse(id)) return skippedScore(id, error.message, run);
		return failedScore(id, error instanceof Error ? error.message : String(error), run);
	}
}

/*
 * The score of a run, from its record on disk.
 */

/** @typedef {{ service: string, name: string, tier: string }} Described  a container, as the manifest names it */

/**
 * @param {object} run
 * @param {string} run.id      of the fault
 * @param {Demand} run.fault  of services by the names of their containers
 * @param {string} run.folder
 * @param {Result} run.result
 * @param {(services: Described[]) => Promise<Map<string, Set<string>>>} [run.marksOf]  what services wrote of their own doings, by the
 *   request's id
 * @returns {Promise<import('../../record/selftest-total.ts').Score>}
 */
export async function scoreRecord({ id, fault, folder, result, marksOf = async () => new Map() }) {
	const raw = await readRaw(folder);
	const window = /** @type {Window} */ (windowOf(raw));
	const facts = gatherFacts(raw, window);
	const score = scoreRun({
		id,
		fault,
		placed: placementsOf(facts),
		beganS: window.from,
		marks: await marksOf(raw.manifest.services),
		result,
	});
	const isControl = fault.validity === 'VALID';
	const spans = [wholeLoad(window), ...(isControl ? eachStage(result.stages) : [])];
	// A control has to be VALID, which on a machine that others took anything of, in any stage, it cannot be.
	const taken = spans.flatMap((span) => stolen({ facts }, span)).find(({ grade }) => isControl || grade === 'INVALID');
	return taken !== undefined && !isRight(score) ? { ...score, spoilt: taken.reason } : score;
}

/**
 * A demand speaks of services, or of their containers, the ledger of containers.
 * @param {Demand} demand
 * @param {Described[]} services
 * @returns {Demand}
 */
export function toContainerNames(demand, services) {
	const namesOf = (/** @type {string[]} */ wanted) =>
		services.filter(({ service, name }) => wanted.includes(service) || wanted.includes(name)).map(({ name }) => name);
	return {
		...demand,
		expected: demand.expected?.map((one) => (one.services === undefined ? one : { ...one, services: namesOf(one.services) })),
		...(demand.near_misses
			? { near_misses: demand.near_misses.map(({ ids, services: wanted = [] }) => ({ ids, services: namesOf(wanted) })) }
			: {}),
	};
}

/**
 * What would let the ledger say more: of what it left open, and of a service that tells more at a higher level.
 * @param {Score} score
 * @param {Pick<Result, 'ledger' | 'try_next' | 'command'>} result
 * @param {Pick<PlannedFault, 'service' | 'how' | 'level'>} fault
 * @returns {string[]} sentences; none where the fault was diagnosed rightly, or no level is to be changed
 */
export function adviceOf({ failures, right, unattributed }, { ledger, try_next: tryNext, command: again }, { service, how, level }) {
	if (level === null || right >= failures * RIGHT_LEAST) return [];
	const reported = how?.reported;
	const isBelow = reported !== undefined && level < reported.level;
	return [
		...(unattributed > 0 && ledger.unattributed_reason !== '' ? [`unattributed: ${ledger.unattributed_reason}`] : []),
		...(isBelow ? [`write ${service}: { watch: ${reported.level} } in doubletake.yaml: it then tells ${reported.gives}`] : []),
		// What is said of an INVALID run, to make it again and what comes then, is nothing to be written.
		...tryNext
			.filter(({ command, once_valid: isLater }) => command !== again && !isLater)
			.map(({ command, why }) => `write ${command}: ${why}`),
	];
}
