/**
 * The program of a relay on the networks of a stack: at a Unix socket in a folder of this machine it is told an address and a port in a line, and
 * hands on what comes after it (lab/base/relays.ts). It runs in a container without the lab's files, and ends by itself.
 */
import { chmodSync } from 'node:fs';
import net from 'node:net';

const [path, lastsS] = process.argv.slice(-2);
/** Who asks is the lab's user; the folder around the socket is theirs alone. */
const OPEN = 0o666;
const NEWLINE = '\n';

const server = net.createServer({ allowHalfOpen: true }, (asking) => {
	let head = '';
	const take = (piece: Buffer) => {
		head += piece.toString('latin1');
		const end = head.indexOf(NEWLINE);
		if (end < 0) return;
		asking.off('data', take);
		asking.pause();
		const [, host, port] = /^(.*):(\d+)$/.exec(head.slice(0, end)) ?? [];
		const asked = net.connect({ host, port: Number(port), allowHalfOpen: true });
		asked.on('connect', () => {
			asking.write(`connected${NEWLINE}`);
			asked.write(Buffer.from(head.slice(end + 1), 'latin1'));
			asking.pipe(asked);
			asked.pipe(asking);
		});
		asked.on('error', (error) => asking.end(`connect ${(error as NodeJS.ErrnoException).code}${NEWLINE}`));
		asked.on('close', () => asking.destroySoon());
		asking.on('close', () => asked.destroy());
	};
	asking.on('data', take);
	asking.on('error', () => asking.destroy());
});
server.listen(path, () => chmodSync(path, OPEN));
process.on('SIGTERM', () => process.exit(0));
setTimeout(() => process.exit(0), Number(lastsS) * 1000);
