/**
 * Builds the site from the repository's documents, with the stored experiments rendered beside them (make examples).
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import lab from '../package.json' with { type: 'json' };
import { CHANGELOG, changelogOf, HOME, pageOf, sourceOf } from './pages.js';

const SITE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(SITE, '..');
/** What the generator reads; made anew each time. */
const SOURCE = join(SITE, '.src');
const PUBLIC = join(SOURCE, 'public');
const EXAMPLES = join(ROOT, 'reports', 'examples');
const PICTURE = /\.(?:png|svg|webp)$/;
/** Where GitHub Actions runs it, the files that a document names can be linked to. */
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: commit } = process.env;
const files = server && repository && commit ? `${server}/${repository}/blob/${commit}/` : null;

rmSync(SOURCE, { recursive: true, force: true });
mkdirSync(PUBLIC, { recursive: true });
const names = readdirSync(join(ROOT, 'docs'));
const documents = [HOME, CHANGELOG, ...names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
for (const file of documents) {
	const text = readFileSync(join(ROOT, file), 'utf8');
	writeFileSync(join(SOURCE, sourceOf(file)), pageOf(file === CHANGELOG ? changelogOf(text, lab.version) : text, file, files));
}
for (const name of names.filter((file) => PICTURE.test(file))) cpSync(join(ROOT, 'docs', name), join(SOURCE, name));
cpSync(join(SITE, 'example.md'), join(SOURCE, 'example.md'));
cpSync(join(ROOT, 'lab/report/assets/mark.svg'), join(PUBLIC, 'mark.svg'));
cpSync(join(SITE, 'social.png'), join(PUBLIC, 'social.png'));
for (const entry of readdirSync(EXAMPLES, { recursive: true, withFileTypes: true })) {
	if (!entry.isFile() || !entry.name.endsWith('.html')) continue;
	const from = join(entry.parentPath, entry.name);
	cpSync(from, join(PUBLIC, 'examples', from.slice(EXAMPLES.length)));
}
await build(SITE);
