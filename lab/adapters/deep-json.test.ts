/**
 * A line of a log may be JSON that is nested as deep as one likes: it is lost, and the log is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutOf, FROM, line } from './fixtures/hop-files.ts';
import { withoutContent } from './log-content.ts';
import { everyAdapter } from './registry.ts';

const DEPTHS = [2250, 20_000];
const LEVELS = [1, 2, 3] as const;

function deepLines(depth: number): string[] {
	const [object, list] = [`${'{"a":'.repeat(depth)}"x"${'}'.repeat(depth)}`, `${'['.repeat(depth)}${']'.repeat(depth)}`];
	const of = (deep: string) => [
		deep,
		`{"msg":${deep}}`,
		`{"level":"info","ts":${FROM + 1},"logger":"http.log.access","msg":"handled request","status":502,"request":{"headers":${deep}}}`,
		`{"t":{"$date":"2026-11-21T20:00:01Z"},"s":"I","c":"COMMAND","id":51803,"msg":"Slow query","attr":${deep}}`,
		`{"start_time":"2026-11-21T20:00:01Z","response_code":503,"duration":4,"response_flags":${deep}}`,
		`doubletake ${deep}`,
	];
	return [...of(object), ...of(list)];
}

test('what is nested too deep is told from what is not by its brackets alone', () => {
	const text = JSON.stringify({ msg: '"['.repeat(5000), path: '\\\\"{'.repeat(300), rows: Array(500).fill([[1]]) });
	assert.doesNotThrow(() => JSON.parse(withoutContent(text)));
});

for (const depth of DEPTHS)
	test(`a line ${depth} deep is masked as text, and the lines around it are read as they are`, () => {
		for (const deep of deepLines(depth)) {
			assert.equal(typeof withoutContent(deep), 'string');
			for (const adapter of everyAdapter) {
				assert.equal(typeof (adapter.redact?.(deep) ?? ''), 'string');
				const logs = [line(1, deep), `${line(0, 'plain')}${line(1, deep)}${line(2, 'plain')}`];
				for (const log of logs)
					for (const level of LEVELS)
						assert.ok(adapter.read({ log, samples: [], file: () => '', beside: [] }, aboutOf({ level })).service, adapter.product);
			}
		}
	});
