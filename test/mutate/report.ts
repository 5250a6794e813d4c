/** What of frozen records and made tests moves with a constant, and the table of those that decide. Pure. */
/** of a record; of a made test what it says as it fails */
export type Says = {
	/** place and cause of each failed one, by its id */
	requests: Record<string, string>;
	/** where requests wait and why, and what is at its limit */
	others: string[];
};

export type Decided = {
	/** a record, or a made test */
	target: string;
	/** what moved */
	said: string;
	/** one constant; several that do it only together, or that were not told apart */
	by: Moved[];
};

export type Moved = { constant: Constant; isUp: boolean };

import type { Constant } from './constants.ts';

const NOTHING = { requests: {}, others: [] };
/** Of what moved with a constant. */
const SHOWN_MOST = 4;
const CELL_MOST = 150;

/** @returns empty where nothing moved */
export function movedIn(before: Says | undefined = NOTHING, now: Says | undefined = NOTHING): string {
	const ids = Object.keys(before.requests).filter((id) => before.requests[id] !== now.requests[id]);
	const kinds: Map<string, number> = new Map();
	const fails = now.others.find((one) => !before.others.includes(one) && Object.keys(now.requests).length === 0 && ids.length > 0);
	if (fails) return fails;
	for (const id of ids) {
		const kind = `${before.requests[id]} → ${now.requests[id] ?? 'no failure'}`;
		kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
	}
	const all = Object.keys(before.requests).length;
	return [
		...[...kinds].sort(([, one], [, other]) => other - one).map(([kind, count]) => `${count} of ${all} requests: ${kind}`),
		...before.others.filter((one) => !now.others.includes(one)).map((one) => `no more: ${one}`),
		...now.others.filter((one) => !before.others.includes(one)).map((one) => `new: ${one}`),
	].join('; ');
}

/** @returns Markdown */
export function reportOf({
	constants,
	decided,
	changed,
	runs,
	records,
}: {
	constants: Constant[];
	decided: Decided[];
	changed: Map<string, number>;
	runs: number;
	records: string[];
}): string {
	const isRecord = (target: string) => records.includes(target);
	const alone = decided.filter(({ by }) => by.length === 1);
	const together = decided.filter(({ by }) => by.length > 1);
	const [ofRecords, ofTests] = [alone.filter(({ target }) => isRecord(target)), alone.filter(({ target }) => !isRecord(target))];
	const number = (all: Decided[]) => new Set(all.map(({ by: [{ constant }] }) => constant)).size;
	const moved = [...changed].filter(([target]) => isRecord(target)).sort(([, one], [, other]) => other - one);
	return `${[
		'# Constants that decide',
		`Of ${constants.length} constants ${number(alone)} decide alone: ${number(ofRecords)} what a frozen record says, ${number(ofTests)} whether a made test passes. Each of ${runs} runs moved all of them by a fifth, up or down by lot. ${moved.length} of ${records.length} records moved in a run, and ${changed.size - moved.length} made tests.`,
		'## On records',
		tableOf(ofRecords),
		'## On made tests alone',
		tableOf(ofTests.filter(({ by: [{ constant }] }) => !ofRecords.some(({ by: [one] }) => one.constant === constant))),
		'## Several together, or not told apart',
		listOf(together.map(({ target, said, by }) => `${target}: ${by.length} constants; ${cell(said)}`)),
		'## Records that moved',
		listOf(moved.map(([target, count]) => `${target}: in ${count} of ${runs} runs`)),
	].join('\n\n')}\n`;
}

const listOf = (rows: string[]) => (rows.length === 0 ? 'None.' : rows.map((row) => `- ${row}`).join('\n'));

function tableOf(decided: Decided[]) {
	if (decided.length === 0) return 'None.';
	const rows = [...new Set(decided.map(({ by }) => by[0].constant))]
		.sort((one, other) => one.file.localeCompare(other.file) || one.start - other.start)
		.map((constant) => {
			const { file, name, value } = constant;
			return `| ${file} | \`${name}\` | ${value} | ${whatMoved(decided.filter(({ by }) => by[0].constant === constant))} |`;
		});
	return ['| File | Constant | Value | What moved |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function whatMoved(all: Decided[]) {
	const shown = all.slice(0, SHOWN_MOST).map(({ target, said, by: [{ isUp }] }) => `${isUp ? 'up' : 'down'}: ${target}: ${cell(said)}`);
	return [...shown, ...(all.length > SHOWN_MOST ? [`and ${all.length - SHOWN_MOST} more`] : [])].join('<br>');
}

const cell = (text: string) =>
	(text.length > CELL_MOST ? `${text.slice(0, CELL_MOST)}…` : text).replaceAll('|', '\\|').replaceAll('\n', ' ');
