/** The fuzzer by hand: make fuzz SECONDS=3600 SEED=7, or node test/fuzz/run.ts --seconds=60 --only=logs. */

import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
	options: { seconds: { type: 'string' }, seed: { type: 'string' }, only: { type: 'string' }, number: { type: 'string' } },
});
const SECONDS = 3600;
/** Another one each day, which is said. */
const seed = values.seed || new Date().toISOString().slice(0, 10);
const say = (text: string) => void process.stdout.write(`${text}\n`);

say(`seed ${seed}`);
const { found } = await fuzz({
	seconds: Number(values.seconds || SECONDS),
	seed,
	only: values.only ? values.only.split(',') : undefined,
	number: values.number === undefined ? null : Number(values.number),
	say,
});
say(`${found.length} found`);
process.exitCode = found.length === 0 ? 0 : 1;
