/**
 * A reporter of the test runner that tells only what is to be said again at the end of a run, after thousands of lines: of each failure
 * where it is, its name and the first lines of why; and the totals.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** Lines of a message that are reported; the whole of it stands where the test ran. */
const LINES_REPORTED = 8;

/** What the runner says at its end. */
const TOTAL = /^(pass|fail|cancelled|skipped) \d+$/;

/** What fails because something in it or around it did, which is told by itself. */
const FAILS_WITH_ANOTHER = ['subtestsFailed', 'cancelledByParent'];

/** @returns a paragraph for each failure, then a line for each total, as `# pass 12` */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
	for await (const { type, data } of events) {
		if (type === 'test:diagnostic' && TOTAL.test(data.message)) yield `# ${data.message}\n`;
		if (type !== 'test:fail') continue;
		const error = data.details.error as any;
		if (FAILS_WITH_ANOTHER.includes(error.failureType)) continue;
		const reported = String(error.cause?.message ?? error.message)
			.split('\n')
			.slice(0, LINES_REPORTED);
		const where = data.file ? `${relative('', data.file)}:${data.line}: ` : '';
		yield [`${where}${data.name}`, ...reported.map((line) => `    ${line}`), ''].join('\n');
	}
}
