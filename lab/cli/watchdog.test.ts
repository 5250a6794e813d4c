import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const watched = (rest: string) =>
	spawnSync(process.execPath, [
		'--input-type=module',
		'-e',
		`import { endWhereItStandsStill } from '${new URL('watchdog.ts', import.meta.url)}'; endWhereItStandsStill(1); ${rest}`,
	]);

test('A program whose main thread stands still is ended, with what to do, and any other ends by itself', () => {
	const still = watched('setTimeout(() => { for (;;); }, 100)');
	assert.deepEqual([still.signal, /^error: Expected .* 1 s; .*\n {2}To do: /.test(String(still.stderr))], ['SIGKILL', true]);
	const busy = watched('await new Promise((end) => setTimeout(end, 2500))');
	assert.deepEqual([busy.status, String(busy.stderr)], [0, '']);
});
