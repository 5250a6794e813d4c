/**
 * Whether a record is what its schema says. A folder may come from others with records in it: what reads many of them takes each by itself, so that one
 * which is none spoils nothing else.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { Documents } from './types.js';

const ENDING = '.schema.json';

let all: Ajv | null = null;

/** One may have a part that another describes. To compile one takes a quarter of a second. */
function schemas(): Ajv {
	if (all !== null) return all;
	all = new Ajv({ strict: false, validateSchema: false });
	const folder = new URL('.', import.meta.url);
	for (const file of readdirSync(folder).filter((name) => name.endsWith(ENDING)))
		all.addSchema(JSON.parse(readFileSync(new URL(file, folder), 'utf8')));
	return all;
}

/**
 * @param record in the shape of today
 * @returns where it is otherwise, and what was expected there; null where it fits
 */
export function misfitOf(document: keyof Documents, record: unknown): string | null {
	const validate = schemas().getSchema(`${document}${ENDING}`);
	if (!validate || validate(record)) return null;
	const [{ instancePath: path = '', message = '' } = {}] = validate.errors ?? [];
	return `${path === '' ? 'the whole' : path.slice(1).replaceAll('/', '.')} ${message}`;
}
