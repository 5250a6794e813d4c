/** What it says of itself is the output of `tchmttest`, called by compose/images/tokyo/insert.sh. */

/** A writer prints a dot for every 250th part of what its first thread does. */
const DOTS = 250;

/**
 * @param text that insert.sh has printed so far
 * @returns exit codes in the order of the files
 */
export function parseSpan(text: string): { began_s: number | null; ended_s: number | null; exitCodes: number[] } {
	const moment = (name: string) => {
		const found = new RegExp(`^${name} (\\d+\\.\\d+)\\n`, 'm').exec(text);
		return found ? Number(found[1]) : null;
	};
	const exitCodes = [...text.matchAll(/^writer \d+ (\d+)\n/gm)].map(([, code]) => Number(code));
	return { began_s: moment('began'), ended_s: moment('ended'), exitCodes };
}

/**
 * @param text that `tchmttest write` has printed so far
 * @returns done: the share of its work, 0 to 1
 */
export function parseWriter(text: string): { seconds: number | null; done: number } {
	const seconds = /^time: (\d+\.\d+)$/m.exec(text)?.[1];
	const dots = [...text.matchAll(/^\.+/gm)].reduce((sum, [line]) => sum + line.length, 0);
	return { seconds: seconds === undefined ? null : Number(seconds), done: Math.min(1, dots / DOTS) };
}

/**
 * @param text that `tchmgr inform` printed
 * @returns records in the file, null when it could not be read
 */
export function parseInform(text: string): number | null {
	const records = /^record number: (\d+)$/m.exec(text)?.[1];
	return records === undefined ? null : Number(records);
}
