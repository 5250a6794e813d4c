/** What Redis told of a load once a second, and what of its log tells how long something took. */

import type { Window } from '../complete-lines.ts';
import { bareRecord, completeLines, isDuring, limitOf, sampledExtent } from '../complete-lines.ts';
import type { About, Container, Files, HopRecord, Message } from '../contract.ts';

/** "1:M 21 Nov 2026 20:00:01.123 # text": process, role, time, level (serverLogRaw in server.c). */
const LINE = /^\d+:[XCSM] \d+ \w+ (?:\d{4} )?[\d:.]+ [.*#-] (.*)$/;
/** What matches is what is kept. Of 7.0 (src/script.c). */
const SLOW = /^(?:Lua slow|Slow) script detected: still in execution after \d+ milliseconds/;

const readLog = (log: string, window: Window): Message[] =>
	completeLines(log).flatMap(({ t, text }) => {
		const slow = isDuring(t, window) ? SLOW.exec(LINE.exec(text)?.[1] ?? '') : null;
		return slow ? [{ signal: 'slow' as const, t, text: slow[0] }] : [];
	});

export function read({ log, samples }: Files, about: About): HopRecord {
	const { service, level, window } = about;
	return {
		...bareRecord(about, 'redis'),
		coverage: { requests: 'none', reasons: 'none', limits: sampledExtent(samples, window) },
		uncovered: [`Redis knows no requests: a command that failed in ${service} belongs to no single one`],
		messages: level === 0 ? [] : readLog(log, window),
		limits: [
			...limitOf(
				'client connections',
				samples,
				window,
				(sample) => sample.max_clients,
				(sample, size) => (sample.refused ? size : sample.clients),
			),
			...limitOf(
				'memory',
				samples,
				window,
				(sample) => sample.max_memory,
				(sample) => sample.used_memory,
			).map((limit) => ({ ...limit, unit: 'bytes', fills: true })),
		],
	};
}

/*
 * Reads what `INFO` prints (https://redis.io/docs/latest/commands/info/).
 */

export type State = {
	/** connected, without the lab */
	clients: number | null;
	/** null before 6.2, which does not tell it */
	max_clients: number | null;
	used_memory: number | null;
	/** 0: no limit */
	max_memory: number | null;
};

const FIELD = /^([a-z]\w*):(.*)$/i;
const NUMBER = /^\d+$/;

/** @returns null for what is no answer to INFO */
function stateIn(output: string): State | null {
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

/*
 * How the lab asks Redis for its state, inside the container.
 */

const LIMIT_MS = 900;
/**
 * No answer has a key or a value: MONITOR would. A password is used only where the container's own environment
 * has it, and never leaves the container (REDISCLI_AUTH is redis-cli's own; Bitnami's images have the other two).
 */
const CLIENT = `cli=$(command -v redis-cli || command -v valkey-cli || command -v keydb-cli) || exit 127
password=\${REDISCLI_AUTH:-\${REDIS_PASSWORD:-\${VALKEY_PASSWORD:-}}}
[ -n "$password" ] && export REDISCLI_AUTH="$password" VALKEYCLI_AUTH="$password"`;
const SCRIPT = `${CLIENT}
"$cli" INFO`;
/** Of the lists and sorted sets whose keys the container's own environment has; a key that is not there is an empty one. */
const BACKLOG = `${CLIENT}
set -- $QUEUE_KEYS
[ $# -gt 0 ] && "$cli" EVAL "
  local count = 0
  for _, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    if kind == 'list' then count = count + redis.call('LLEN', key) end
    if kind == 'zset' then count = count + redis.call('ZCARD', key) end
  end
  return count" $# "$@"`;

const REFUSED = /max number of clients/;

/** @returns `{ refused: true }` when no connection was left for the lab either; null when it cannot be asked */
export async function sampleState(container: Container): Promise<object | null> {
	const { output } = await container.execute(['sh', '-c', SCRIPT], LIMIT_MS);
	return stateIn(output) ?? (REFUSED.test(output) ? { refused: true } : null);
}

/** @returns entries of the lists and sorted sets that are named in QUEUE_KEYS; null where none is, or there is no answer */
export async function backlogOf(container: Container): Promise<number | null> {
	const { exitCode, output } = await container.execute(['sh', '-c', BACKLOG], LIMIT_MS);
	const text = output.trim();
	return exitCode === 0 && /^\d+$/.test(text) ? Number(text) : null;
}

/*
 * What of Redis' log the record keeps: all but keys, values and what clients call themselves. Keys and values stand in it when Redis crashes
 * alone: it then logs the command that it was at, and the object at its key (logCurrentClient and serverLogObjectDebugInfo in debug.c of 7.0). What the lab asks
 * has none.
 */

/** Each `?` is what was there; the first word, which is the command's name, stays. */
const TAKEN: [RegExp, string][] = [
	[/( name=)\S+( age=)/, '$1?$2'],
	[/^(argv\[[1-9]\d*\]: ).*$/, '$1?'],
	[/\bkey '.*' found in DB containing the following object/, "key '?' found in DB containing the following object"],
	[/\b(Object raw string content: ).*$/, '$1?'],
];

/** @param line without the engine's time */
export const redact = (line: string) => TAKEN.reduce((text, [pattern, kept]) => text.replace(pattern, kept), line);
