/**
 * What of a service's own logging a run keeps: how much of its log the engine may have.
 */

/** Of a log that the engine keeps, how much. https://docs.docker.com/engine/logging/configure/ */
const LIMITS = ['max-size', 'max-file'];
/** Of drivers of logs, those whose logs the engine gives back. */
export const ENGINE_LOGS = ['', 'json-file', 'local'];

/**
 * What the run has of a service's logging: its limits, so that no log grows beyond what its owner gave it. All else would have it elsewhere, or with
 * lines that nobody misses.
 * @returns null where nothing of it stays
 */
export function keptLogging({
	driver = '',
	options = {},
}: { driver?: string; options?: Record<string, string> } | undefined = {}): { driver?: string; options: Record<string, string> } | null {
	const limits = Object.entries(options ?? {}).filter(([name]) => LIMITS.includes(name));
	if (!ENGINE_LOGS.includes(driver) || limits.length === 0) return null;
	return { ...(driver === '' ? {} : { driver }), options: Object.fromEntries(limits) };
}
