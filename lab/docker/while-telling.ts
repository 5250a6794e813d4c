/** Says what is waited for while something takes its time: nothing where that is short, and no line twice. */

import { setTimeout as wait } from 'node:timers/promises';

const TIMES = { firstMs: 5000, lookMs: 2000 };
/** What changes with each look is no news. */
const LINES_MOST = 10;

/** @returns what the work gives */
export async function whileTelling<T>(
	{
		tell,
		say,
		signal,
		times: { firstMs, lookMs } = TIMES,
	}: {
		/** what is waited for now; empty: nothing that is worth a line */
		tell: () => Promise<string>;
		say: (text: string) => void;
		signal: AbortSignal;
		/** firstMs: nothing is said before */
		times?: typeof TIMES;
	},
	work: () => Promise<T>,
): Promise<T> {
	const over = new AbortController();
	const until = AbortSignal.any([signal, over.signal]);
	const telling = async () => {
		const said = new Set(['']);
		await wait(firstMs, undefined, { signal: until });
		while (said.size <= LINES_MOST) {
			const text = await tell();
			if (!until.aborted && !said.has(text)) say(text);
			said.add(text);
			await wait(lookMs, undefined, { signal: until });
		}
	};
	// An engine that does not answer is told by the work, which asks it too.
	const reported = telling().catch(() => {});
	try {
		return await work();
	} finally {
		over.abort();
		await reported;
	}
}
