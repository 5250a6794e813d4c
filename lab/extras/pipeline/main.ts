/**
 * What a job of a pipeline calls: `action.yml`, and the template for GitLab.
 */
import { join } from 'node:path';
import { execa } from 'execa';
import { EXIT, toUserError } from '../../base/errors.ts';
import { ROOT } from '../../base/paths.ts';
import { jsonIn } from '../../base/values.ts';
import type { Measure } from './pipeline.ts';
import { pipeline } from './pipeline.ts';

/** Its words go where the marks around them go, in their order. */
async function measure(words: Parameters<Measure>[0], { folder, env }: Parameters<Measure>[1]): ReturnType<Measure> {
	const child = execa(join(ROOT, 'lab/doubletake'), ['--json', ...words], {
		...{ cwd: folder, env, extendEnv: false, stdin: 'ignore', stderr: 1, reject: false },
	});
	const stop = (signal: NodeJS.Signals) => void child.kill(signal);
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
	const { exitCode = EXIT.failed, stdout } = await child;
	return { exitCode, found: jsonIn(String(stdout)) ?? {} };
}

try {
	process.exitCode = await pipeline(process.env, { measure, print: (line) => void process.stdout.write(`${line}\n`) });
} catch (error) {
	const known = toUserError(error);
	if (known === null) throw error;
	process.stderr.write(`error: ${known.message}\n`);
	process.exitCode = known.exitCode;
}
