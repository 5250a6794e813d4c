/**
 * Says what a machine lacks for the lab, and fixes what it can after asking.
 */

import { createInterface } from 'node:readline/promises';
import { type ErrorRecord, EXIT, errorRecord, LabError } from '../base/errors.ts';
import { formatCommand } from '../base/format-command.ts';
import type { Reporter } from '../base/progress.ts';

export type Check = {
	/** such as `Docker Engine` */
	what: string;
	/** what was found, in words where there is more to say than that it is well; rejects with what is missing and what to do */
	look: () => Promise<unknown>;
	fix?: { question: string; act: () => Promise<unknown> };
};

type Finding = { what: string; ready: boolean; found?: string | null; error?: ErrorRecord };

/**
 * @param checks in the order in which one needs another
 * @returns exit code: whether nothing is missing any more
 */
export async function doctor(
	checks: Check[],
	{
		reporter,
		ask,
	}: {
		reporter: Pick<Reporter, 'tell' | 'give'>;
		/** null where nobody can be asked */
		ask: ((question: string) => Promise<boolean>) | null;
	},
): Promise<number> {
	const say = (text: string) => reporter.tell(`${text}\n`);
	const findings: Finding[] = [];
	for (const check of checks) {
		let finding = await lookAt(check, say);
		if (!finding.ready && check.fix && ask && (await ask(`    ${check.fix.question} [y/N] `))) {
			await check.fix.act();
			finding = await lookAt(check, say);
		}
		findings.push(finding);
	}
	const missing = findings.filter(({ ready }) => !ready).length;
	say(missing === 0 ? `  nothing is missing: ${formatCommand(['run', 'a'])}` : `  ${missing} of ${checks.length} are not ready`);
	reporter.give({ result: { ready: missing === 0, checks: findings } });
	return missing === 0 ? EXIT.done : EXIT.notReady;
}

async function lookAt({ what, look }: Check, say: (text: string) => void): Promise<Finding> {
	try {
		const answer = await look();
		const found = typeof answer === 'string' && answer !== '' ? answer : null;
		say(`  ✓ ${what}${found ? `: ${found}` : ''}`);
		return { what, ready: true, found };
	} catch (error) {
		if (!(error instanceof LabError)) throw error;
		say(`  ✗ ${what}: ${error.message.replaceAll('\n', '\n    ')}`);
		return { what, ready: false, error: errorRecord(error) };
	}
}

/** Of the terminal; null where there is none. */
export function askTerminal(): ((question: string) => Promise<boolean>) | null {
	if (!process.stdin.isTTY) return null;
	return async (question) => {
		const terminal = createInterface({ input: process.stdin, output: process.stderr });
		const answer = await terminal.question(question).finally(() => terminal.close());
		return /^y(es)?$/i.test(answer.trim());
	};
}
