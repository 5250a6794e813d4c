/**
 * Runs a command of the tests, always bounded, and gives what it said.
 */
import { execa } from 'execa';
import { ROOT } from '../../lab/base/paths.ts';

/** Type checks of all take a minute alone, and run beside others. */
const LIMIT_MS = 300_000;

/**
 * @returns what it printed
 * @throws {Error} with what it printed, when it fails or takes too long
 */
export async function succeed(file: string, args: string[]): Promise<string> {
	const result = await execa(file, args, { cwd: ROOT, all: true, reject: false, timeout: LIMIT_MS, stdin: 'ignore' });
	if (result.failed) throw new Error(`${result.shortMessage}\n${result.all ?? ''}`);
	return String(result.all);
}
