import { basename } from 'node:path';

/** A reporter that says each made test that failed: its file and its name. @param {AsyncIterable<any>} events */
export default async function* failedTests(events) {
  for await (const { type, data } of events)
    if (type === 'test:fail' && data.nesting === 0)
      yield `${JSON.stringify([`${basename(data.file)}: ${data.name}`, { requests: {}, others: [firstLine(data.details.error)] }])}\n`;
}

/** @param {any} error */
const firstLine = (error) => String(error?.cause?.message ?? error?.message ?? error).split('\n')[0];
