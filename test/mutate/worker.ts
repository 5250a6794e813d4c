/** A process of its own for one vector: says what records say with it, or runs made tests, whose failures the reporter says. */

import { readFileSync, writeSync } from 'node:fs';
import { register } from 'node:module';
import type { Move } from './constants.ts';

type Order = {
	/** by the address of the module */
	moves: Record<string, Move[]>;
	/** `group/name` of each */
	records: string[];
	/** addresses of their files */
	tests: string[];
};

const { moves, records, tests }: Order = JSON.parse(readFileSync(0, 'utf8'));
register('./loader.ts', import.meta.url, { data: moves });

for (const file of tests) await import(file);
if (records.length > 0) {
	const { saysOf } = await import('./records.ts');
	for await (const said of saysOf(records)) writeSync(1, `${JSON.stringify(said)}\n`);
}
