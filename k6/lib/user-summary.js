/**
 * What is written at the end of a user's script: the summary that the lab reads, and beside it whatever the script's own
 * `handleSummary` makes of k6's figures. Knows neither k6 nor time.
 */

/** Of the lab's own metrics. */
const OURS = /^lab_/;
/** k6 writes these to the terminal; anything else is the path of a file. */
const TERMINALS = ['stdout', 'stderr'];

/**
 * @param {any} data of k6
 * @returns {string} JSON, without what the script's setup returned: tokens are handed on there
 */
export function recordOf({ setup_data: _, ...data }) {
	return JSON.stringify(data);
}

/**
 * The figures as the script would see them without the lab.
 * @param {any} data of k6 @param {string[]} added metrics that only the lab asked for
 */
export function withoutOurs(data, added) {
	const ours = new Set(added);
	const metrics = Object.entries(data.metrics ?? {}).filter(([name]) => !OURS.test(name) && !ours.has(name));
	return { ...data, metrics: Object.fromEntries(metrics) };
}

/**
 * The script's own outputs; its files go to the record, because its folder is not written to.
 * @param {any} outputs by path, as its handleSummary returned them; or nothing
 * @param {string} folder of the record
 * @returns {{ outputs: Record<string, unknown>, files: Record<string, string> }} files: path in the script to path in the record
 */
export function redirected(outputs, folder) {
	const files = Object.fromEntries(
		Object.keys(outputs ?? {})
			.filter((path) => !TERMINALS.includes(path))
			.map((path) => [path, `${folder}/script-${nameOf(path)}`]),
	);
	return { outputs: Object.fromEntries(Object.entries(outputs ?? {}).map(([path, text]) => [files[path] ?? path, text])), files };
}

/** Of a file in a folder that has no others: k6 makes no folders. @param {string} path */
const nameOf = (path) => path.replace(/^\.?\/+/, '').replace(/[^\w.-]+/g, '-');
