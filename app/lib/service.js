/**
 * What every node does around its work: keeps its record, listens until SIGTERM, then finishes what it is working on and
 * leaves. Knows neither a framework nor a database.
 */
import http from 'node:http';
import { breakConnections } from './faults.js';
import { openRequestLog } from './request-log.js';
import { startTelemetry } from './telemetry.js';

const DRAIN_LIMIT_MS = 10_000;

/**
 * @typedef {object} Service
 * @property {Pick<import('./config.js').Config, 'name' | 'port' | 'backlog' | 'faults' | 'recordFolder'>} config
 * @property {http.RequestListener} listener
 * @property {import('./telemetry.js').Counts} counts
 * @property {{ max_pool_size?: number, versions: Record<string, string> }} start  what the record's first line says beside the backlog
 * @property {() => object} [readPool]        of the database's connections, where there is a pool
 * @property {() => Promise<unknown>} [finish] what is under way beside requests, to be ended before the record is closed
 * @property {() => Promise<unknown>} [close] what is to be closed after the last answer
 */

/**
 * Listens at once; the process ends itself.
 * @param {Service} service
 */
export function serve({ config, listener, counts, start, readPool, finish, close }) {
	const { name, recordFolder, port, backlog, faults } = config;
	const telemetry = startTelemetry({ name, recordFolder, start: { backlog, ...start } }, counts, readPool);
	const closeRequestLog = openRequestLog(recordFolder, name);
	const server = http.createServer(listener);
	breakConnections(server, faults);
	server.listen({ port, backlog }, () => {
		console.log(JSON.stringify({ listening: port, versions: start.versions }));
	});

	async function leave() {
		const forced = setTimeout(() => {
			closeRequestLog();
			process.exit(1);
		}, DRAIN_LIMIT_MS);
		forced.unref();
		await Promise.all([finish?.(), new Promise((resolve) => server.close(resolve))]);
		telemetry.stop();
		closeRequestLog();
		await close?.();
		process.exit(0);
	}
	process.once('SIGTERM', leave);
	process.once('SIGINT', leave);
}
