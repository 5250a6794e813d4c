/**
 * Nginx itself takes every conf, in the image and under the restrictions of a run.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { ENV_FILE, ROOT } from '../../lab/define/paths.js';
import { succeed } from './command.js';

const folder = join(ROOT, 'nginx');
const image = parseEnv(readFileSync(ENV_FILE, 'utf8')).NGINX_IMAGE ?? '';
const RESTRICTED = [
  '--read-only',
  '--network',
  'none',
  '--user',
  '101:101',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges:true',
];
const SCRATCH = ['--tmpfs', '/tmp', '--tmpfs', '/raw:mode=1777'];

for (const conf of readdirSync(folder).filter((file) => file.endsWith('.conf'))) {
  test(`nginx takes ${conf}`, async () => {
    // Nginx looks the names of its upstream servers up when it reads the conf.
    const servers = [...readFileSync(join(folder, conf), 'utf8').matchAll(/^\s*server ([\w-]+):\d+/gm)].map(([, name]) => name);
    const hosts = servers.flatMap((name) => ['--add-host', `${name}:127.0.0.1`]);
    const mount = ['--volume', `${folder}:/etc/doubletake:ro`];
    const command = ['nginx', '-t', '-c', `/etc/doubletake/${conf}`];
    await succeed('docker', ['run', '--rm', ...RESTRICTED, ...SCRATCH, ...hosts, ...mount, image, ...command]);
  });
}
