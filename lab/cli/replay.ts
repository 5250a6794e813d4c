/**
 * The command `replay`: analyses stored raw records again, in memory, and says what their results say otherwise than the stored ones: which
 * failed requests are placed elsewhere, and which other fields differ. Nothing is written unless asked.
 */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { EXIT, NotReadyError, toGivenError } from '../base/errors.ts';
import { recordAt } from '../base/files.ts';
import { formatCommand } from '../base/format-command.ts';
import { FROZEN, IS_MAKEFILE_HERE, RECORD, REPORTS } from '../base/paths.ts';
import type { Reporter } from '../base/progress.ts';
import { resultIn } from '../diagnose/result.ts';
import { acceptedBy, readOption, refuseAllBut } from '../options/accepted-options.ts';
import { readRecord } from '../record/excerpt-file.ts';
import type { Replayed } from '../report/replay-rows.ts';
import { formatReplayed, formatTotal } from '../report/replayed.ts';
import { finishRun, writeIndex } from '../report/reports.ts';
import { frozenAgain } from '../verify/freeze/again.ts';
import type { Shown } from '../verify/freeze/choose.ts';
import { differenceOf } from '../verify/freeze/choose.ts';
import type { Frozen, RecordFiles } from '../verify/freeze/files.ts';
import { isGroup, readGroup, readRecords, writeFrozen } from '../verify/freeze/files.ts';

export type { Replayed };

/** a record, and what it was last said to show */
type Stored = {
	/** its folder; of a frozen one its group and its name */
	record: string;
	before: () => Promise<Shown>;
	/** rejects with a NotReadyError where it cannot be read */
	now: () => Promise<Shown>;
	/** writes what it shows now */
	accept: () => Promise<unknown>;
};

/** Folders one in another: those of an experiment's runs are four below reports/. */
const DEPTH_MOST = 6;

/**
 * @param path below which records are looked for; all that there are unless given
 * @param env WRITE=1: what moved is written
 * @returns exit code: that of a look, whatever moved, unless an analysis failed
 * @throws {NotReadyError} when there is no record
 */
export async function replay(path: string | undefined, env: Record<string, string | undefined>, reporter: Reporter): Promise<number> {
	refuseAllBut('replay', acceptedBy('replay'), env);
	const isWriting = readOption('WRITE', env);
	const { records, without } = await recordsBelow(path ? [recordAt('replay', path)] : [REPORTS, ...(IS_MAKEFILE_HERE ? [FROZEN] : [])]);
	if (records.length === 0)
		throw new NotReadyError(
			`replay: expected runs with a raw record and a result below ${shown(path ? resolve(path) : REPORTS)}; found none.`,
			`"${formatCommand(['list'])}" names the runs that there are.`,
		);
	const all: Replayed[] = [];
	// One after another: a large record takes hundreds of megabytes.
	for (const stored of records) {
		const replayed = await analysedAgain(stored);
		all.push(replayed);
		reporter.tell(formatReplayed(replayed));
		if (isWriting && replayed.outcome === 'moved') await stored.accept();
	}
	if (isWriting) await writeIndex();
	reporter.tell(formatTotal(all, without));
	const of = (outcome: Replayed['outcome']) => all.filter((replayed) => replayed.outcome === outcome);
	reporter.give({ result: { records: all.length, moved: of('moved'), unread: of('unread'), failed: of('failed') } });
	return of('failed').length > 0 ? EXIT.failed : EXIT.done;
}

const shown = (folder: string) => relative(process.cwd(), folder) || '.';

/** without: raw records that have no result to compare with */
type Found = { records: Stored[]; without: number };

/** @returns no link is followed: `latest` names what is there already */
async function recordsBelow(roots: string[], depth: number = 0): Promise<Found> {
	const found: Found = { records: [], without: 0 };
	for (const folder of roots) {
		const has = (name: string) => existsSync(join(folder, name));
		if (has(RECORD.manifest) && has(RECORD.raw)) {
			if (has(RECORD.result)) found.records.push(ofRun(folder));
			else found.without += 1;
		} else if (isGroup(folder)) {
			const group = await readGroup(dirname(folder), basename(folder));
			for (const [name, files] of await readRecords(dirname(folder), basename(folder)))
				found.records.push(ofFrozen(folder, name, group[name], files));
		} else if (depth < DEPTH_MOST) {
			const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
			const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
			const { records, without } = await recordsBelow(below.sort(), depth + 1);
			found.records.push(...records);
			found.without += without;
		}
	}
	return found;
}

const ofRun = (folder: string): Stored => ({
	record: shown(folder),
	before: async () => ({ result: await readRecord(folder, RECORD.result) }),
	now: async () => ({ result: JSON.parse(JSON.stringify(await resultIn(folder))) }),
	accept: () => finishRun(folder),
});

/** folder: of its group */
const ofFrozen: (folder: string, name: string, frozen: Frozen | undefined, files: () => RecordFiles) => Stored = (
	folder,
	name,
	frozen,
	files,
) => ({
	record: shown(join(folder, name)),
	before: async () => {
		if (frozen) return frozen;
		throw new NotReadyError(`${name}: expected its result beside it; found none.`, 'freeze it again.');
	},
	now: () => frozenAgain(files()),
	accept: async () => frozen && writeFrozen(dirname(folder), basename(folder), { [name]: { ...frozen, ...(await frozenAgain(files())) } }),
});

async function analysedAgain({ record, before, now }: Stored): Promise<Replayed> {
	let earlier: Awaited<ReturnType<Stored['before']>>;
	try {
		earlier = await before();
	} catch (error) {
		return { record, outcome: 'unread', reason: reasonOf(error) };
	}
	try {
		return differenceOf(record, earlier, await now());
	} catch (error) {
		if (error instanceof NotReadyError) return { record, outcome: 'unread', reason: reasonOf(error) };
		const refused = toGivenError('replay', error);
		const reason = refused === error ? String(error instanceof Error ? error.stack : error) : reasonOf(refused);
		return { record, outcome: 'failed', reason };
	}
}

const reasonOf = (error: unknown): string => (error instanceof NotReadyError ? error.problem : String(error));
