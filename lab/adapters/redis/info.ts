/** Reads what `INFO` prints (https://redis.io/docs/latest/commands/info/). */

import type { State } from './read.ts';

const FIELD = /^([a-z]\w*):(.*)$/i;
const NUMBER = /^\d+$/;

/** @returns null for what is no answer to INFO */
export function stateIn(output: string): State | null {
	const fields: Map<string, string> = new Map();
	for (const line of output.split(/\r?\n/)) {
		const field = FIELD.exec(line);
		if (field) fields.set(field[1], field[2]);
	}
	if (!fields.has('connected_clients')) return null;
	const number = (name: string) => (NUMBER.test(fields.get(name) ?? '') ? Number(fields.get(name)) : null);
	const clients = number('connected_clients');
	return {
		clients: clients === null ? null : Math.max(0, clients - 1),
		max_clients: number('maxclients'),
		used_memory: number('used_memory'),
		max_memory: number('maxmemory'),
	};
}
