/**
 * What Redis told of a load once a second, and what of its log tells how long something took.
 *
 * @import { Window } from '../complete-lines.ts'
 * @import { About, Container, Files, HopRecord, Message } from '../contract.ts'
 */

import { bareRecord, completeLines, isDuring, limitOf, sampledExtent } from '../complete-lines.ts';

/** "1:M 21 Nov 2026 20:00:01.123 # text": process, role, time, level (serverLogRaw in server.c). */
const LINE = /^\d+:[XCSM] \d+ \w+ (?:\d{4} )?[\d:.]+ [.*#-] (.*)$/;
/** What matches is what is kept. Of 7.0 (src/script.c). */
const SLOW = /^(?:Lua slow|Slow) script detected: still in execution after \d+ milliseconds/;

/** @param {string} log @param {Window} window @returns {Message[]} */
const readLog = (log, window) =>
	completeLines(log).flatMap(({ t, text }) => {
		const slow = isDuring(t, window) ? SLOW.exec(LINE.exec(text)?.[1] ?? '') : null;
		return slow ? [{ signal: /** @type {const} */ ('slow'), t, text: slow[0] }] : [];
	});

/**
 * @param {Files} files
 * @param {About} about
 * @returns {HopRecord}
 */
export function read({ log, samples }, about) {
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

/**
 * @typedef {object} State
 * @property {number | null} clients       connected, without the lab
 * @property {number | null} max_clients   null before 6.2, which does not tell it
 * @property {number | null} used_memory
 * @property {number | null} max_memory    0: no limit
 */

const FIELD = /^([a-z]\w*):(.*)$/i;
const NUMBER = /^\d+$/;

/** @param {string} output @returns {State | null} null for what is no answer to INFO */
function stateIn(output) {
	/** @type {Map<string, string>} */
	const fields = new Map();
	for (const line of output.split(/\r?\n/)) {
		const field = FIELD.exec(line);
		if (field) fields.set(field[1], field[2]);
	}
	if (!fields.has('connected_clients')) return null;
	/** @param {string} name */
	const number = (name) => (NUMBER.test(fields.get(name) ?? '') ? Number(fields.get(name)) : null);
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

/**
 * @param {Container} container
 * @returns {Promise<object | null>} `{ refused: true }` when no connection was left for the lab either; null when it cannot be asked
 */
export async function sampleState(container) {
	const { output } = await container.execute(['sh', '-c', SCRIPT], LIMIT_MS);
	return stateIn(output) ?? (REFUSED.test(output) ? { refused: true } : null);
}

/**
 * @param {Container} container
 * @returns {Promise<number | null>} entries of the lists and sorted sets that are named in QUEUE_KEYS; null where none is, or there is no answer
 */
export async function backlogOf(container) {
	const { exitCode, output } = await container.execute(['sh', '-c', BACKLOG], LIMIT_MS);
	const text = output.trim();
	return exitCode === 0 && /^\d+$/.test(text) ? Number(text) : null;
}

/*
 * What of Redis' log the record keeps: all but keys, values and what clients call themselves. Keys and values stand in it when Redis crashes
 * alone: it then logs the command that it was at, and the object at its key (logCurrentClient and serverLogObjectDebugInfo in debug.c of 7.0). What the lab asks
 * has none.
 */

/** Each `?` is what was there; the first word, which is the command's name, stays. @type {[RegExp, string][]} */
const TAKEN = [
	[/( name=)\S+( age=)/, '$1?$2'],
	[/^(argv\[[1-9]\d*\]: ).*$/, '$1?'],
	[/\bkey '.*' found in DB containing the following object/, "key '?' found in DB containing the following object"],
	[/\b(Object raw string content: ).*$/, '$1?'],
];

/** @param {string} line without the engine's time */
export const redact = (line) => TAKEN.reduce((text, [pattern, kept]) => text.replace(pattern, kept), line);
