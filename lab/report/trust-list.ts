/** How far the lab is to be trusted, as a list for the README. */

import { count, plural } from './format.ts';
import { type Markdown, markdown } from './html.ts';

const VERDICTS = ['VALID', 'SUSPECT', 'INVALID'];

export function trustList({
	selftest,
	runs,
	machines,
}: {
	/** commit: whose rules judged it */
	selftest: { headline: Markdown; commit: string };
	/** of the stored experiments, by their validity */
	runs: Record<string, number>;
	/** in words */
	machines: readonly string[];
}): string {
	const all = Object.values(runs).reduce((sum, number) => sum + number, 0);
	const each = VERDICTS.map((verdict) => `${count(runs[verdict] ?? 0)} ${verdict}`).join(', ');
	return [
		markdown`- **Runs.** The experiments made ${plural(all, 'run')}: ${each}. Small doubts remain about SUSPECT runs. INVALID runs are excluded. A result that needs the SUSPECT runs gets the verdict INCONCLUSIVE.`,
		markdown`- **Machine.** ${machines.join('; ')}. Generator and system share the CPU.`,
		markdown`- **Known faults.** \`make selftest\` breaks copies in known ways. At commit ${selftest.commit}, ${selftest.headline} [Each fault](docs/diagnosis.md). Doubletake had been improved after earlier runs with the same faults.`,
	].join('\n');
}
