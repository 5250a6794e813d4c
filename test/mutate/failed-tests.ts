import { basename } from 'node:path';

/** A reporter that says each made test that failed: its file and its name. */
export default async function* failedTests(events: AsyncIterable<any>) {
	for await (const { type, data } of events)
		if (type === 'test:fail' && data.nesting === 0)
			yield `${JSON.stringify([`${basename(data.file)}: ${data.name}`, { requests: {}, others: [reasonOf(data.details.error)] }])}\n`;
}

function reasonOf({ cause, message }: any) {
	if (cause?.code === 'ERR_ASSERTION' && /equal/i.test(cause.operator))
		return `${JSON.stringify(cause.expected)} → ${JSON.stringify(cause.actual)}`;
	return String(cause?.message ?? message).replaceAll(/\s+/g, ' ');
}
