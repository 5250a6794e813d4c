/**
 * Each balancer itself takes its configurations, in the image and under the restrictions of a run. Images that no other test needs are
 * not got for this.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { ENV_FILE, ROOT } from '../../lab/base/paths.ts';
import { baseImages } from '../../lab/catalog/shipped-services.ts';
import { isPresent } from '../../lab/docker/images.ts';
import { succeed } from './command.ts';

const BALANCERS: { product: string; ending: string; user: string; servers: RegExp; command: (path: string) => string[] }[] = [
	{
		product: 'nginx',
		ending: '.conf',
		user: '101:101',
		servers: /^\s*server ([\w-]+):\d+/gm,
		command: (path) => ['nginx', '-t', '-c', path],
	},
	{
		product: 'haproxy',
		ending: '.cfg',
		user: '99:99',
		servers: /^\s*server \S+ ([\w-]+):\d+/gm,
		command: (path) => ['haproxy', '-c', '-f', path],
	},
	{
		product: 'envoy',
		ending: '.yaml',
		user: '101:101',
		servers: /address: (app-\d+)/gm,
		command: (path) => ['envoy', '--mode', 'validate', '-c', path],
	},
];

const images = parseEnv(readFileSync(ENV_FILE, 'utf8'));
const RESTRICTED = ['--read-only', '--network', 'none', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges:true'];
const SCRATCH = ['--tmpfs', '/tmp', '--tmpfs', '/raw:mode=1777'];

for (const { product, ending, user, servers, command } of BALANCERS) {
	const folder = join(ROOT, product);
	const image = images[baseImages[product].variable] ?? '';
	const skip = (await isPresent(image)) ? false : `no image ${image}: "make images" gets it`;
	for (const file of readdirSync(folder).filter((name) => name.endsWith(ending))) {
		test(`${product} takes ${file}`, { skip }, async () => {
			// Some look the names of their servers up when they read them.
			const names = [...readFileSync(join(folder, file), 'utf8').matchAll(servers)].map(([, name]) => name);
			const hosts = names.flatMap((name) => ['--add-host', `${name}:127.0.0.1`]);
			const mount = ['--volume', `${folder}:/etc/doubletake:ro`];
			const entry = command(`/etc/doubletake/${file}`);
			const options = ['--user', user, '--entrypoint', entry[0], ...RESTRICTED, ...SCRATCH, ...hosts, ...mount];
			await succeed('docker', ['run', '--rm', ...options, image, ...entry.slice(1)]);
		});
	}
}
