/**
 * A package registry on this machine that has one package, and sends whoever asks for another to the registry of the machine. npm follows the
 * shrinkwrap of a package only where a registry says that it has one, and never that of a file.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { execa } from 'execa';

const LIMIT_MS = 20_000;

type Registry = { url: string; close: () => void };

/** @param file a package, as `npm pack` leaves it */
export async function serveAsRegistry(file: string): Promise<Registry> {
	const tarball = await readFile(file);
	const { stdout: upstream } = await execa('npm', ['config', 'get', 'registry'], { timeout: LIMIT_MS });
	const { stdout: packed } = await execa('tar', ['xzOf', file, 'package/package.json'], { timeout: LIMIT_MS });
	const manifest = JSON.parse(packed);
	const { name, version } = manifest;
	const server = createServer(({ url = '/' }, response) => {
		if (url === `/${basename(file)}`) return response.end(tarball);
		if (url !== `/${name}`)
			return response.writeHead(302, { location: new URL(url.slice(1), `${upstream.replace(/\/$/, '')}/`).href }).end();
		const dist = {
			tarball: `${address()}/${basename(file)}`,
			integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
		};
		response.setHeader('content-type', 'application/json');
		return response.end(
			JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, _hasShrinkwrap: true, dist } } }),
		);
	});
	await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
	const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: `${address()}/`,
		close: () => {
			server.close();
			server.closeAllConnections();
		},
	};
}
