/** What the lab asks the Nginx of a shipped system inside its container: the configuration that it runs, and its connection totals. */

import type { Adapter } from '../contract.ts';

/** Names inside `raw/` of what it and the lab leave there. */
export const FILES = Object.freeze({
	access: 'nginx-access.ndjson',
	error: 'nginx-error.log',
	conf: 'nginx.conf',
	totals: 'nginx-status.ndjson',
});

/**
 * @param entrypoint of its container
 * @returns prints the configuration, includes and all
 */
const confCommand = (entrypoint: string[]): string[] => ['nginx', '-T', '-q', '-c', entrypoint[entrypoint.indexOf('-c') + 1]];

const ASK = "exec 3<>/dev/tcp/127.0.0.1/8081; printf 'GET /status HTTP/1.0\\r\\n\\r\\n' >&3; timeout 2 cat <&3";

/** Prints its totals, which it tells on a port of their own. */
const TOTALS_COMMAND = ['timeout', '3', 'bash', '-c', ASK];

/**
 * @param answer of ngx_http_stub_status_module
 * @returns null where it is none
 */
function parseTotals(answer: string): { accepted: number; handled: number; requests: number; active: number } | null {
	const totals = /^[ \t]*(\d+) (\d+) (\d+)[ \t]*$/m.exec(answer);
	const active = /Active connections: (\d+)/.exec(answer);
	if (!totals || !active) return null;
	const [, accepted, handled, requests] = totals.map(Number);
	return { accepted, handled, requests, active: Number(active[1]) };
}

/** Of its connection table, all workers together. */
export function slotsIn(conf: string): number | null {
	const connections = /^[ \t]*worker_connections\s+(\d+);/m.exec(conf)?.[1];
	const workers = /^[ \t]*worker_processes\s+(\d+);/m.exec(conf)?.[1] ?? '1';
	return connections === undefined ? null : Number(connections) * Number(workers);
}

export const inside: NonNullable<Adapter['inside']> = {
	folder: 'nginx',
	conf: { file: FILES.conf, command: confCommand, slots: slotsIn },
	totals: { file: FILES.totals, command: TOTALS_COMMAND, parse: parseTotals },
};
