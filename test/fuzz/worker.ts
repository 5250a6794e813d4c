/** Runs one target in a thread of its own, one input after the other, until it is ended: what takes without end is ended with it. */

import { parentPort, workerData } from 'node:worker_threads';
import { pickBy } from './mutate.ts';
import { shown, TARGETS } from './targets.ts';

const {
	name,
	seed,
	from,
	to,
	scratch,
	at,
}: { name: string; seed: string; from: number; to: number; scratch: string; at: SharedArrayBuffer } = workerData;
/** Of the input that is tried now: its number, and when it began. */
const now = new BigInt64Array(at);
/** What stays alike from one machine to another: where it was thrown, and not what it says. */
const FRAMES = 2;

const target = TARGETS.find((one) => one.name === name);
const make = await target?.open(scratch);
if (!make) throw new Error(`${name}: expected a target of the fuzzer; found none.`);
for (let number = from; number < to; number += 1) {
	now[1] = BigInt(Date.now());
	now[0] = BigInt(number);
	const { input, run } = await make(pickBy(`${seed} ${name} ${number}`));
	try {
		await run();
	} catch (error) {
		const { stack = String(error), message } = error as Error;
		const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
		const place = frames
			.filter((line) => line.includes('/lab/'))
			.slice(0, FRAMES)
			.join('\n');
		parentPort?.postMessage({ number, message, place, stack: frames.slice(0, 12).join('\n'), input: shown(input) });
	}
}
