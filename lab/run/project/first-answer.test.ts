import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.ts';
import { answer, inTurn } from '../../target/fixtures/answers.ts';
import { waitFor } from './first-answer.ts';

const ENTRY = 'http://web:8080/';
const signal = new AbortController().signal;
const times = { limitMs: 60_000, behindMs: 60_000, brokenMs: 60_000, standInMs: 60_000, lookMs: 0, againMs: 0, sayMs: 0 };
/** Of a request each. */
const PATHS = ['/', '/cart', '/pay', '/a', '/b'];

/** @param statuses of the first requests */
const probesOf = (statuses: number[]) =>
	statuses.map((status, index) => ({ request: { method: 'GET', path: PATHS[index] }, answer: answer(status) }));

async function waited({
	answers,
	looks = [true],
	times: own = {},
}: {
	answers: number[][] | null;
	looks?: boolean[];
	times?: object;
}): Promise<{ asked: number; notes: string[]; said: string[] }> {
	const said = [] as string[];
	let asked = 0;
	const next = inTurn((answers ?? []).map(probesOf));
	const ask = async () => {
		asked += 1;
		return next();
	};
	const say = (text: string) => said.push(text);
	const given = { ask: answers && ask, entry: ENTRY, look: inTurn(looks), steadyMs: 0, say, signal, times: { ...times, ...own } };
	return { notes: await waitFor(given), asked, said };
}

test('a service that is slow is waited for, and so is one behind a proxy that is there already', async () => {
	const { notes, asked, said } = await waited({ answers: [[0], [0], [502], [503], [200]] });
	assert.deepEqual([notes, asked], [[], 7]);
	assert.deepEqual(said, [
		'waiting until http://web:8080/ answers well (at most 60 s): GET / is not answered: connect ECONNREFUSED',
		'waiting until http://web:8080/ answers well (at most 60 s): GET / is answered with 502 Bad Gateway',
		'waiting until http://web:8080/ answers well (at most 60 s): GET / is answered with 503 Service Unavailable',
	]);
});

test('what is answered instead is said no more often than a reader follows, and of a few requests', async () => {
	const { said } = await waited({ answers: [[0, 500, 200, 502, 503], [0], [502], [200]], times: { sayMs: 60_000 } });
	assert.equal(said.length, 1);
	assert.match(said[0], /: GET \/ is not answered: [^;]*; GET \/cart is answered with 500 [^;]*; GET \/a is [^;]*; and 1 more$/);
});

test('what breaks after its first good answer is waited for until it answers well three times in a row', async () => {
	assert.equal((await waited({ answers: [[200], [200], [0], [500], [200], [200], [200], [404]] })).asked, 7);
});

test('an error of the server is waited out, but not as long as a service that is not there', async () => {
	assert.deepEqual((await waited({ answers: [[500], [200]] })).notes, []);
	const [note] = (await waited({ answers: [[200, 500]], times: { brokenMs: 0 } })).notes;
	assert.equal(
		note,
		'http://web:8080/ did not answer well in 0 s of waiting (GET /cart is answered with 500 Internal Server Error); the load began all the same.',
	);
});

test('an error at a path that the load does not ask keeps nobody waiting for long', async () => {
	const patience = async (probe: object, status = 500) => {
		const said = [] as string[];
		let answers = [status, 200];
		const ask = async () => {
			const [next] = answers;
			answers = answers.length > 1 ? answers.slice(1) : answers;
			return [{ request: { method: 'GET', path: '/' }, answer: answer(next), ...probe }];
		};
		const given = { ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: (text: string) => said.push(text), signal };
		await waitFor({ ...given, times: { ...times, standInMs: 15_000 } });
		return said[0]?.match(/at most (\d+) s/)?.[1];
	};
	assert.deepEqual([await patience({ isStandIn: true }), await patience({})], ['15', '60']);
	assert.equal(await patience({ isStandIn: true }, 502), '60', 'what is behind a proxy is not there yet');
});

test('what answers at once is not waited for, whatever it answers but errors', async () => {
	for (const status of [200, 302, 404, 429]) assert.deepEqual((await waited({ answers: [[status]] })).said, []);
});

test('where one path is there and another is not yet, both are waited for', async () => {
	const answers = [
		[200, 502],
		[200, 200],
	];
	assert.equal((await waited({ answers })).asked, 4);
});

test('containers that do not stay are waited for, and a run that goes on without them says so', async () => {
	const { notes } = await waited({ answers: [[200]], looks: [false], times: { brokenMs: 0 } });
	assert.deepEqual(notes, ['Not all containers stayed up in 0 s of waiting; the load began all the same.']);
});

test('an entry that never answers is refused, with what was found and what to look at', async () => {
	await assert.rejects(waited({ answers: [[0]], times: { limitMs: 0 } }), (error) => {
		assert.ok(error instanceof NotReadyError);
		assert.match(error.message, /expected an HTTP answer of http:\/\/web:8080\/ within 0 s; found none: connect ECONNREFUSED/);
		assert.match(error.message, /0\.0\.0\.0/);
		return true;
	});
});

test('a proxy that goes on saying that nothing is behind it is taken at its word, and the note is not what its page says', async () => {
	const request = { method: 'GET', path: '/' };
	const ask = async () => [{ request, answer: answer(503, { line: 'token 4711' }) }];
	const given = { ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: () => {}, signal, times: { ...times, behindMs: 0 } };
	assert.match(
		(await waitFor(given)).join(),
		/^http:\/\/web:8080\/ did not .* \(GET \/ is answered with 503 Service Unavailable\); the load began/,
	);
});

test('a status that the load expects is not waited out, whatever proxies say by it', async () => {
	const ask = async () => [{ request: { method: 'GET', path: '/', expect: [503] }, answer: answer(503) }];
	const given = { ask, entry: ENTRY, look: inTurn([true]), steadyMs: 0, say: () => assert.fail('it waits'), signal, times };
	assert.deepEqual(await waitFor(given), []);
});

test('where it cannot be asked from here, only the containers are looked at', async () => {
	assert.deepEqual(await waited({ answers: null, looks: [false, true] }), { notes: [], asked: 0, said: [] });
});
