/**
 * The repository's documents as pages of the site: the same text, with links that lead where a reader of the site can go. Pure.
 *
 * @typedef {object} Place
 * @property {string} href
 * @property {boolean} isPage  false for what is no page of the site generator's
 */
import { posix } from 'node:path';

/** Of the repository's pages, where the site has them. The readme is the first page. */
export const HOME = 'README.md';
export const CHANGELOG = 'CHANGELOG.md';
/** On the site, of pages whose file is named otherwise. @type {Record<string, string>} */
const OWN_NAMES = { [HOME]: 'index.md', [CHANGELOG]: 'changelog.md' };
const DOCUMENT = /^docs\/([\w-]+)\.md$/;
const PICTURE = /^docs\/([\w.-]+\.(?:png|svg|webp))$/;
/** Stored experiments, rendered (make examples). */
const EXAMPLES = 'reports/examples/';
/**
 * Where the site has them. Links to them are relative: the generator puts the site's own folder before no address that it does not render.
 */
export const EXAMPLES_ADDRESS = 'examples/';
/** `[text](target)`, with `!` before a picture. */
export const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;
const ELSEWHERE = /^[a-z]+:/;

/** The site's menu, in the order in which one would read it: parts, each with titles and addresses. @type {[string, [string, string][]][]} */
export const MENU = [
	[
		'Start',
		[
			['What it is', '/'],
			['Tutorial', '/tutorial'],
			['Reading a report', '/reading-a-report'],
			['A report to look at', '/example'],
			['Gallery of reports', '/gallery'],
			['Beside other tools', '/other-tools'],
		],
	],
	[
		'Measure',
		[
			['Your own system', '/own-system'],
			['Proving what ends failures', '/proving'],
			['Comparing two', '/comparing'],
			['In continuous integration', '/pipelines'],
			['How many nodes', '/capacity-plan'],
			['On several hosts', '/swarm'],
			['In a cluster', '/kubernetes'],
		],
	],
	[
		'Found',
		[
			['Two servers instead of one', '/doubling'],
			['Failures that stay', '/metastable'],
			['What a remedy costs', '/remedies'],
			['How well it diagnoses', '/diagnosis'],
			['All claims', '/claims/'],
			['Known to be wrong', '/known-to-be-wrong'],
		],
	],
	[
		'Learn',
		[
			['Five lessons', '/course'],
			['Statistics for sceptics', '/statistics'],
		],
	],
	[
		'Build',
		[
			['Architecture', '/architecture'],
			['Extending', '/extending'],
			['Contributing', '/contributing'],
			['Reference', '/reference'],
			['Changelog', '/changelog'],
		],
	],
];

/**
 * The anchor of a heading, as GitHub makes it, so that a link leads to the same place here as there.
 * @param {string} heading
 */
export const anchorOf = (heading) =>
	heading
		.trim()
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
		.replaceAll(' ', '-');

/**
 * @param {string} file  of the repository, such as `docs/swarm.md`
 * @returns {string} of the site's source
 */
export const sourceOf = (file) => OWN_NAMES[file] ?? posix.basename(file);

/**
 * A changelog that says first which version the site is about. Brackets around a version are for readers of the file.
 * @param {string} text  Markdown
 * @param {string} version
 */
export const changelogOf = (text, version) =>
	text
		.replaceAll(/^## \[([^\]]+)\]/gm, '## $1')
		.replace(/^# .*$/m, (title) => `${title}\n\nThis site is about version **${version}** and the changes that are not released yet.`);

/**
 * @param {string} text  Markdown
 * @param {string} file  of the repository, in which it stands
 * @param {string | null} repository  address of its files, such as `https://example.org/doubletake/blob/main/`; null where there is none
 * @returns {string}
 */
export const pageOf = (text, file, repository) =>
	text.replaceAll(LINK, (whole, picture, words, target) => {
		if (ELSEWHERE.test(target) || target.startsWith('#')) return whole;
		const place = placeOf(posix.join(posix.dirname(file), target), repository);
		if (place === null) return words;
		return `${picture}[${words}](${place.href})${place.isPage ? '' : '{target="_self"}'}`;
	});

/** @param {string} target  below the root of the repository @param {string | null} repository @returns {Place | null} null where a reader cannot go */
function placeOf(target, repository) {
	const [path, anchor] = target.split('#');
	const hash = anchor === undefined ? '' : `#${anchor}`;
	if (path in OWN_NAMES) return { href: `./${OWN_NAMES[path]}${hash}`, isPage: true };
	const document = DOCUMENT.exec(path)?.[1];
	if (document) return { href: `./${document}.md${hash}`, isPage: true };
	const picture = PICTURE.exec(path)?.[1];
	if (picture) return { href: `./${picture}`, isPage: true };
	if (path.startsWith(EXAMPLES)) return { href: `./${EXAMPLES_ADDRESS}${renderedAs(path.slice(EXAMPLES.length))}`, isPage: false };
	return repository === null ? null : { href: `${repository}${path}`, isPage: true };
}

/** What is in words in the repository has a page there. @param {string} path @returns {string} */
const renderedAs = (path) => (path === '' || path === HOME ? 'findings.html' : path.replace(/\.md$/, '.html'));
