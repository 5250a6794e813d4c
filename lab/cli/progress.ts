/** The live line on a terminal, plain lines elsewhere. */

import { printable, printableLine } from '../base/printable.ts';
import type { LoadStatus, Progress } from '../base/progress.ts';
import type { OpenLine, Output } from './reporter.ts';

const PLAIN_EVERY_S = 5;

export function createProgress(out: Output, openLine?: OpenLine): Progress {
	let lastPlainS = Number.NEGATIVE_INFINITY;
	const live = openLine?.(out as NodeJS.WritableStream);
	return {
		/** A line that stays. */
		say(text: string) {
			live?.clear();
			out.write(`  ${printable(text)}\n`);
		},
		load(status: LoadStatus) {
			const line = printableLine(formatStatus(status));
			if (live) {
				live(line);
				return;
			}
			if (status.leftS > lastPlainS - PLAIN_EVERY_S && status.leftS <= lastPlainS) return;
			lastPlainS = status.leftS;
			out.write(`${line}\n`);
		},
		done() {
			live?.clear();
		},
	};
}

function formatStatus({ stage, users, usersMost, rps, p95Ms, failureRate, leftS, isLongest = false }: LoadStatus) {
	const cell = (value: number | null, format: (value: number) => string) => (value === null ? '–' : format(value));
	return [
		`  ${stage.padEnd(22)}`,
		...(usersMost === undefined ? [`${cell(users, (value) => value.toLocaleString('en-US')).padStart(5)} users`] : []),
		...(typeof usersMost === 'number' ? [`at most ${usersMost.toLocaleString('en-US')} users`] : []),
		`${cell(rps, (value) => Math.round(value).toLocaleString('en-US')).padStart(6)} rps`,
		`p95 ${cell(p95Ms, (value) => `${Math.round(value)} ms`).padStart(8)}`,
		`failed ${cell(failureRate, (value) => `${(value * 100).toFixed(1)} %`).padStart(7)}`,
		`${isLongest ? 'at most ' : ''}${Math.max(0, Math.round(leftS))} s left`,
	].join('  ');
}
