/**
 * A process of its own for one vector: says what records say with it, or runs made tests, whose failures the reporter says.
 *
 * @typedef {object} Order
 * @property {Record<string, import('./constants.ts').Move[]>} moves  by the address of the module
 * @property {string[]} records  `group/name` of each
 * @property {string[]} tests    addresses of their files
 */

import { readFileSync, writeSync } from 'node:fs';
import { register } from 'node:module';

/** @type {Order} */
const { moves, records, tests } = JSON.parse(readFileSync(0, 'utf8'));
register('./loader.ts', import.meta.url, { data: moves });

for (const file of tests) await import(file);
if (records.length > 0) {
	const { saysOf } = await import('./records.ts');
	for await (const said of saysOf(records)) writeSync(1, `${JSON.stringify(said)}\n`);
}
