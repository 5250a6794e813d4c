/**
 * Builds the site from the repository's documents, with the stored experiments rendered beside them (make examples).
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';
import { EXPERIMENT_RECORD, RECORD } from '../lab/base/paths.ts';
import { FINDINGS_RECORD, storedExperiments } from '../lab/record/findings.ts';
import lab from '../package.json' with { type: 'json' };
import { asPageOfSite, CLAIMS, claimPages, withClaimLinks } from './claims.ts';
import { galleryPage } from './gallery.ts';
import { CHANGELOG, changelogOf, EXAMPLES_ADDRESS, HOME, pageOf, sourceOf } from './pages.js';

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

/** @param {string} path @returns {any} of a record that was made with the pages */
const recordOf = (path) => JSON.parse(readFileSync(join(EXAMPLES, path), 'utf8'));
const findings = recordOf(FINDINGS_RECORD.data);
/** @type {{ href: string | null, claims: { id: string }[] }[]} */
const claimed = findings.experiments;
const ids = claimed.flatMap(({ claims }) => claims.map(({ id }) => id));

rmSync(SOURCE, { recursive: true, force: true });
for (const folder of [PUBLIC, join(SOURCE, CLAIMS)]) mkdirSync(folder, { recursive: true });
const names = readdirSync(join(ROOT, 'docs'));
const documents = [HOME, CHANGELOG, ...names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
for (const file of documents) {
	const text = readFileSync(join(ROOT, file), 'utf8');
	const page = pageOf(file === CHANGELOG ? changelogOf(text, lab.version) : text, file, files);
	writeFileSync(join(SOURCE, sourceOf(file)), withClaimLinks(page, ids));
}
const stored = storedExperiments().map((path) => storedIn(relative(EXAMPLES, path)));
writeFileSync(join(SOURCE, 'gallery.md'), galleryPage(stored, findings));
const judged = claimed.flatMap(({ href }) =>
	href === null ? [] : [[href, recordOf(posix.join(posix.dirname(href), EXPERIMENT_RECORD.result)).claims]],
);
for (const [file, text] of Object.entries(claimPages(findings, Object.fromEntries(judged)))) writeFileSync(join(SOURCE, file), text);
for (const name of names.filter((file) => PICTURE.test(file))) cpSync(join(ROOT, 'docs', name), join(SOURCE, name));
cpSync(join(SITE, 'example.md'), join(SOURCE, 'example.md'));
cpSync(join(ROOT, 'lab/report/assets/mark.svg'), join(PUBLIC, 'mark.svg'));
cpSync(join(SITE, 'social.png'), join(PUBLIC, 'social.png'));
for (const entry of readdirSync(EXAMPLES, { recursive: true, withFileTypes: true })) {
	if (!entry.isFile() || !entry.name.endsWith('.html')) continue;
	const name = relative(EXAMPLES, join(entry.parentPath, entry.name));
	const to = join(PUBLIC, EXAMPLES_ADDRESS, name);
	mkdirSync(dirname(to), { recursive: true });
	writeFileSync(to, asPageOfSite(readFileSync(join(EXAMPLES, name), 'utf8'), name.split(sep).length, ids));
}
await build(SITE);

/** @param {string} folder below the examples @returns {import('./gallery.ts').Stored} */
function storedIn(folder) {
	const { runs, result, page, comparison, comparisonPage } = EXPERIMENT_RECORD;
	const isExperiment = existsSync(join(EXAMPLES, folder, result));
	const reports = existsSync(join(EXAMPLES, folder, runs)) ? readdirSync(join(EXAMPLES, folder, runs)) : [];
	const headlines = reports.map((run) => [`${runs}/${run}/${RECORD.report}`, recordOf(join(folder, runs, run, RECORD.result)).headline]);
	return {
		folder,
		page: isExperiment ? page : comparisonPage,
		experiment: isExperiment ? recordOf(join(folder, result)) : null,
		comparison: isExperiment ? null : recordOf(join(folder, comparison)),
		headlines: Object.fromEntries(headlines),
	};
}
