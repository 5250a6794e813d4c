/** What is fed with what: each target makes an input of a seed's picks and gives it to the lab's own code, which may refuse it in words. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { withoutContent } from '../../lab/adapters/log-content.ts';
import { decoders, everyAdapter } from '../../lab/adapters/registry.ts';
import { LabError } from '../../lab/base/errors.ts';
import { FROZEN, ROOT } from '../../lab/base/paths.ts';
import { filesIn } from '../../lab/base/sources.ts';
import { jsonIn } from '../../lab/base/values.ts';
import { parseProject } from '../../lab/catalog/project-file.ts';
import { chooseLoad } from '../../lab/load/choose-load.ts';
import { requestsOf } from '../../lab/load/load-requests.ts';
import { serviceModels } from '../../lab/target/compose-model.ts';
import { dangersOf } from '../../lab/target/dangers.ts';
import { detectTiers } from '../../lab/target/detect.ts';
import { lookWith } from '../../lab/target/dockerfile.ts';
import { configOf, runOf, SYSTEMS } from '../../lab/target/fixtures/systems.ts';
import { chooseProject } from '../../lab/target/init.ts';
import { overlayText } from '../../lab/target/overlay.ts';
import { copyOf } from '../../lab/target/project-copy.ts';
import { kindsOf, unsealed } from '../../lab/verify/fixtures/damage.ts';
import type { Said } from '../../lab/verify/fixtures/judged-damage.ts';
import { outcomeOf, wrongIn } from '../../lab/verify/fixtures/judged-damage.ts';
import { readRecords, withFiles } from '../../lab/verify/freeze/files.ts';
import { readConversations } from '../../lab/wire/fixtures/conversations.ts';
import type { Packet } from '../../lab/wire/fixtures/mutations.ts';
import { MUTATIONS } from '../../lab/wire/fixtures/mutations.ts';
import { pcapOf, tcpFrame } from '../../lab/wire/fixtures/packet.ts';
import { decode } from '../../lab/wire/record.ts';
import type { Pick } from './mutate.ts';
import { mutated, mutatedBytes, mutatedValue, oneOf } from './mutate.ts';

type Target = {
	name: string;
	/** scratch: a folder for it alone */
	open: (scratch: string) => Promise<(pick: Pick) => Promise<Trial> | Trial>;
};

type Trial = {
	/** shown where something is found; the beginning of it */
	input: string;
	run: () => unknown;
};

/** A refusal in words is what bad input is to get. */
export function inWords<T>(run: () => T) {
	try {
		return run();
	} catch (error) {
		if (error instanceof LabError && / {2}To do: |\.$/.test(error.message)) return null;
		throw error;
	}
}

/** Small ones: of systems of users, and of shipped ones. */
const RECORDS: [group: string, name: string][] = [
	['cases', 'haproxy-flap'],
	['cases', 'stale-dns'],
	['recipes', 'J'],
	['systems', '2a'],
	['systems', '2a-shard'],
	['faults', 'table-and-errors'],
	['faults', 'app-killed'],
	['faults', 'sold-out'],
];
/** How much of an input is shown. */
const SHOWN_MOST = 2000;

const records: Target = {
	name: 'records',
	async open(scratch) {
		const whole = await Promise.all(
			RECORDS.flatMap(([group, name]) =>
				[true, false].map(async (isSealed) => {
					const files = (await readRecords(FROZEN, group)).get(name)?.() ?? {};
					const folder = join(scratch, `${name}-${isSealed}`);
					await withFiles(isSealed ? files : unsealed(files), async (from) => {
						for (const file of filesIn(from)) {
							mkdirSync(dirname(join(folder, file)), { recursive: true });
							writeFileSync(join(folder, file), readFileSync(join(from, file)));
						}
					});
					const said = await outcomeOf(folder);
					if ('refused' in said) throw new Error(`${name}: ${said.refused}`);
					return { name, folder, files: filesIn(folder), said, isSealed };
				}),
			),
		);
		return (pick) => {
			const record = oneOf(whole, pick);
			const changes = Array.from({ length: 1 + pick(2) }, () => damaged(record, pick));
			return {
				input: `${record.name}, ${record.isSealed ? 'with' : 'without'} an inventory: ${changes.map(({ file, how }) => `${file} ${how}`).join('; ')}`,
				run: () => judged(record, changes, pick(10) === 0),
			};
		};
	},
};

type Change = { file: string; how: string; before: Buffer; after: Buffer | null };

function damaged({ folder, files }: { folder: string; files: string[] }, pick: Pick): Change {
	const file = oneOf(files, pick);
	const before = readFileSync(join(folder, file));
	if (pick(3) === 0) {
		const [how, damage] = oneOf(kindsOf(file), pick);
		return { file, how, before, after: damage(before) };
	}
	const text = String(file.endsWith('.gz') ? gunzipSync(before) : before);
	const isRows = /\.(?:ndjson|json|log|gz)$/.test(file) && pick(4) > 0;
	const changed = isRows ? rowChanged(text, pick) : mutated(text, pick);
	return {
		file,
		how: isRows ? 'a row is changed' : 'is mutated',
		before,
		after: file.endsWith('.gz') ? gzipSync(changed, { level: 1 }) : Buffer.from(changed),
	};
}

function rowChanged(text: string, pick: Pick) {
	const all = jsonIn(text);
	if (all !== null) return JSON.stringify(mutatedValue(all, pick));
	const lines = text.split('\n');
	const at = pick(lines.length);
	const row = jsonIn(lines[at]);
	if (row === null) return mutated(text, pick);
	// What k6's users wrote stands in a text.
	const said = typeof row.msg === 'string' ? jsonIn(row.msg) : null;
	const changed = said === null ? mutatedValue(row, pick) : { ...row, msg: JSON.stringify(mutatedValue(said, pick)) };
	return lines.with(at, JSON.stringify(changed)).join('\n');
}

async function judged(
	{ folder, said, isSealed }: { folder: string; said: Said; isSealed: boolean },
	changes: Change[],
	isRendered: boolean,
) {
	try {
		for (const { file, after } of changes)
			if (after === null) rmSync(join(folder, file), { force: true });
			else writeFileSync(join(folder, file), after);
		const now = await outcomeOf(folder, { isRendered });
		const wrong = isSealed ? wrongIn(said, now) : [];
		if (wrong.length > 0) throw new Error(wrong.slice(0, 3).join('; '));
	} finally {
		for (const { file, before } of changes) writeFileSync(join(folder, file), before);
	}
}

const LOOK = { ...lookWith(), kindOf: () => 'folder' as const, sizeOf: () => 1000, isStore: () => false, openBy: () => null };
const MACHINE = { cores: 2, arch: 'x64', has: () => false };

const compose: Target = {
	name: 'compose',
	async open() {
		const configs = SYSTEMS.map((name) => configOf(name));
		return (pick) => {
			// Compose has asked its schema before.
			const config = mutatedValue(oneOf(configs, pick), pick, { keepsKinds: true });
			return { input: JSON.stringify(config), run: () => inWords(() => attached(config)) };
		};
	},
};

function attached(config: any) {
	const { config: copied } = copyOf(config, { data: {}, folder: '/home/ada/shop', look: LOOK, keepsData: () => false, machine: MACHINE });
	for (const one of [config, copied]) dangersOf(one);
	const models = serviceModels(copied);
	const project = chooseProject(detectTiers(models, everyAdapter), models);
	parse(overlayText({ models, project, parts: {}, run: runOf() }), {
		customTags: ['!reset', '!override'].map((tag) => ({ tag, resolve: () => null })),
	});
}

/** @returns texts of the files below it */
const textsIn = (folder: string, ending: RegExp): string[] =>
	(existsSync(folder) ? filesIn(folder) : []).filter((file) => ending.test(file)).map((file) => readFileSync(join(folder, file), 'utf8'));

const PROJECT = `compose: [compose.yaml, more.yaml]
entry: http://web:8080/shop
hosts: { shop.example: "http://web:8080" }
services:
  web: { tier: load-balancer, watch: 2 }
  api: app
  db: { tier: database, replicas: 2 }
edges: [[web, api], [api, db]]
load:
  urls: ["2x GET /items", { path: /orders, method: POST, body: '{"item":1}', expect: [200, 201] }]
  headers: { X-Tenant: a, Authorization: "Bearer \${TOKEN}" }
  users: 20
  for: 30s
data: { ./state: empty, ./www: copy }
capture: true
`;

const project: Target = {
	name: 'project',
	async open() {
		const texts = [
			PROJECT,
			...textsIn(join(ROOT, 'examples'), /doubletake\.yaml$/),
			...textsIn(join(ROOT, 'test/corpus'), /doubletake\.yaml$/),
		];
		return (pick) => {
			const text = mutated(oneOf(texts, pick), pick, oneOf(texts, pick));
			return { input: text, run: () => inWords(() => parseProject(text, 'doubletake.yaml')) };
		};
	},
};

const OPENAPI = `openapi: 3.0.3
servers: [{ url: "https://{region}.shop.example/{base}/", variables: { region: { default: eu }, base: { default: v1 } } }]
paths:
  /items:
    parameters: [{ name: page, in: query, schema: { type: integer, minimum: 1 } }]
    get: { parameters: [{ name: kind, in: query, required: true, schema: { type: string, enum: [book, film] } }, { name: X-Tenant, in: header, required: true, schema: { type: string, pattern: '^[a-z]{3,8}$' } }] }
    head: {}
  /items/{id}:
    parameters: [{ $ref: '#/components/parameters/Id' }]
    get: { responses: { '200': { description: one } } }
  /orders:
    post: { requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } } }
components:
  parameters: { Id: { name: id, in: path, required: true, schema: { type: string, format: uuid } } }
  schemas:
    Order: { type: object, required: [item, lines], properties: { item: { type: string, minLength: 3 }, lines: { type: array, minItems: 1, items: { $ref: '#/components/schemas/Line' } } } }
    Line: { allOf: [{ type: object, required: [count], properties: { count: { type: integer, multipleOf: 5 } } }, { oneOf: [{ type: object }, { $ref: '#/components/schemas/Order' }] }] }
`;
const HAR = JSON.stringify({
	log: { entries: [{ request: { method: 'GET', url: 'https://shop.example/items?page=1' } }, { request: { method: 'POST', url: '/' } }] },
});
const POSTMAN = JSON.stringify({
	info: { schema: 'https://schema.getpostman.com/json/collection/v2.1.0' },
	item: [{ item: [{ request: { method: 'GET', url: { raw: '{{base}}/items' } } }] }, { request: 'https://a.example/' }],
});
const HTTP = '### one\nGET https://shop.example/items HTTP/1.1\nAccept: */*\n\n### two\nPOST {{host}}/orders\n\n{"a":1}\n';
const SITEMAP = '<urlset><url><loc>https://shop.example/a?b=1&amp;c=2</loc></url></urlset>';
const RECORDINGS: [file: string, text: string][] = [
	['a.har', HAR],
	['a.postman.json', POSTMAN],
	['a.http', HTTP],
	['sitemap.xml', SITEMAP],
];

const openapi: Target = {
	name: 'openapi',
	async open() {
		const document = parse(OPENAPI);
		return (pick) => {
			const way = pick(4);
			if (way === 0) {
				const [file, text] = oneOf(RECORDINGS, pick);
				const value = jsonIn(text);
				const changed = value !== null && pick(2) ? JSON.stringify(mutatedValue(value, pick)) : mutated(text, pick);
				const system = { entries: ['http://web:8080/'], services: ['web'] };
				const recordings = [{ file, text: changed }];
				return { input: changed, run: () => inWords(() => chooseLoad({ scripts: [], documents: [], recordings }, system)) };
			}
			const text = way === 1 ? mutated(OPENAPI, pick) : JSON.stringify(mutatedValue(document, pick));
			const include = pick(2) ? ['POST /orders'] : [];
			return {
				input: text,
				run: () => inWords(() => requestsOf({ openapi: 'api.yaml', include, headers: {} } as any, () => text)),
			};
		};
	},
};

const WINDOW = { from: 1795291200, to: 1795291210 };
const TIERS = ['load-balancer', 'app', 'database', 'cache', 'queue', 'pool'] as const;
const FILES = ['process-1.ndjson', 'process-1-requests.log', 'nginx.conf', 'nginx-access.ndjson', 'nginx-status.ndjson', 'mongo.ndjson'];

const logs: Target = {
	name: 'logs',
	async open() {
		const folder = join(ROOT, 'lab/adapters');
		const texts = readdirSync(folder).flatMap((name) => textsIn(join(folder, name, 'fixtures'), /\.(?:log|txt|ndjson|conf|cfg)$/));
		return (pick) => {
			const text = mutated(oneOf(texts, pick), pick, oneOf(texts, pick));
			const [adapter, level, tier, file] = [oneOf(everyAdapter, pick), (1 + pick(3)) as any, oneOf(TIERS, pick), oneOf(FILES, pick)];
			const stamped = text
				.split('\n')
				.map((line, index) => `2026-11-21T20:00:0${index % 10}.5Z ${line}\n`)
				.join('');
			return {
				input: `${adapter.product}, level ${level}, ${tier}, ${file}\n${text}`,
				run: () => {
					for (const line of text.split('\n')) for (const redact of [withoutContent, adapter.redact]) redact?.(line);
					const files = {
						log: pick(2) ? stamped : text,
						samples: [],
						beside: pick(2) ? FILES : [],
						file: (name: string) => (name === file ? text : ''),
					};
					adapter.read(files, { service: 'mongo', tier, level, names: new Map([['172.18.0.5', 'api']]), window: WINDOW });
				},
			};
		};
	},
};

const captures: Target = {
	name: 'captures',
	async open() {
		const all = Object.values(readConversations()).flat();
		return (pick) => {
			const packets = oneOf(Object.values(MUTATIONS), pick)(oneOf(all, pick), pick, oneOf(all, pick));
			const file = pcapOf(framesOf(packets, pick), { isLittle: pick(2) === 0, isNano: pick(2) === 0 });
			const bytes = pick(2) ? mutatedBytes(file, pick) : file;
			return {
				input: bytes.toString('base64'),
				run: () => decode([{ network: 'a', chunks: inPieces(bytes, 1 + pick(5000)) }], decoders, { connection: () => {}, call: () => {} }),
			};
		};
	},
};

function framesOf(packets: Packet[], pick: Pick) {
	const ends = {
		client: { source: '10.0.0.1', sourcePort: 40_000, target: '10.0.0.2', targetPort: 80 },
		server: { source: '10.0.0.2', sourcePort: 80, target: '10.0.0.1', targetPort: 40_000 },
	};
	const sent = { client: 1, server: 1 };
	const opening =
		pick(3) === 0
			? []
			: [tcpFrame({ ...ends.client, flags: 'S', sequence: 0 }), tcpFrame({ ...ends.server, flags: 'SA', sequence: 0, acknowledged: 1 })];
	const frames = packets.map(({ side, bytes, hole }) => {
		const other = side === 'client' ? 'server' : 'client';
		const frame = tcpFrame({
			...ends[side],
			sequence: sent[side] % 2 ** 32,
			acknowledged: sent[other] % 2 ** 32,
			payload: bytes as any,
		});
		sent[side] += bytes.length + hole;
		return frame;
	});
	const flags = ['F', 'R', 'A'][pick(3)];
	return [...opening, ...frames, tcpFrame({ ...ends.client, flags, sequence: sent.client % 2 ** 32 })].map((frame, index) => ({
		at: 1000 + index / 100,
		frame,
	}));
}

async function* inPieces(bytes: Buffer, size: number) {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export const TARGETS: readonly Target[] = [records, compose, project, openapi, logs, captures];

export const shown = (input: string) => (input.length > SHOWN_MOST ? `${input.slice(0, SHOWN_MOST)}… (${input.length} characters)` : input);
