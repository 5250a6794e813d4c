/**
 * What of a service's own logging a run keeps: how much of its log the engine may have.
 */

/** Of a log that the engine keeps, how much. https://docs.docker.com/engine/logging/configure/ */
const LIMITS = ['max-size', 'max-file'];
/** Of drivers of logs, those whose logs the engine gives back. */
export const ENGINE_LOGS = ['', 'json-file', 'local'];

const UNITS = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as Record<string, number>;
/** https://pkg.go.dev/github.com/docker/go-units#RAMInBytes */
const SIZE = /^(\d+(?:\.\d+)?)\s*([kmg]?)i?b?$/i;
/** Of a service that floods its log the engine keeps no more: it would fill the disk. */
export const LOG_LIMITS = { driver: 'json-file', options: { 'max-size': '1g', 'max-file': '2' } };
const MOST_BYTES = 2 * 1024 ** 3;

/**
 * What the run has of a service's logging: its limits, so that no log grows beyond what its owner gave it. All else would have it elsewhere, or with
 * lines that nobody misses.
 * @returns null where nothing of it stays, or so much that it is no limit
 */
export function keptLogging({
	driver = '',
	options = {},
}: { driver?: string; options?: Record<string, string> } | undefined = {}): { driver?: string; options: Record<string, string> } | null {
	const limits = Object.entries(options ?? {}).filter(([name]) => LIMITS.includes(name));
	const { 'max-size': size = driver === 'local' ? '20m' : '', 'max-file': files = '5' } = options ?? {};
	const isBounded = (bytesOf(size) ?? Number.POSITIVE_INFINITY) * Number(files) <= MOST_BYTES;
	if (!ENGINE_LOGS.includes(driver) || limits.length === 0 || !isBounded) return null;
	return { ...(driver === '' ? {} : { driver }), options: Object.fromEntries(limits) };
}

/** @returns null where there is no limit */
export function bytesOf(size: string): number | null {
	const [, number, unit] = SIZE.exec(size) ?? [];
	return number === undefined ? null : Number(number) * UNITS[unit.toLowerCase()];
}
