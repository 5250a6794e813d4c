/**
 * The site: the repository's documents, with a menu and a search.
 */
import { defineConfig } from 'vitepress';
import lab from '../../package.json' with { type: 'json' };
import { anchorOf, MENU } from '../pages.js';

/** Below which path it is served, and where it stands, such as `https://example.org/doubletake/`; pictures of links need all of it. */
const base = process.env.SITE_BASE || '/';
const address = process.env.SITE_ADDRESS || null;
const title = 'Doubletake';
const description = 'A scaling lab in Docker: which tier lost each failed request, and why.';

export default defineConfig({
	title,
	description,
	lang: 'en',
	base,
	srcDir: '.src',
	outDir: 'dist',
	cacheDir: '.cache',
	// Rendered by the lab, and no pages of this generator's.
	ignoreDeadLinks: [/^\.{1,2}\/examples\//],
	// Its default themes have grey that is too pale to read.
	markdown: { anchor: { slugify: anchorOf }, theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
	head: [
		['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}mark.svg` }],
		['meta', { property: 'og:title', content: title }],
		['meta', { property: 'og:description', content: description }],
		['meta', { name: 'twitter:card', content: 'summary_large_image' }],
		...(address === null
			? []
			: /** @type {[string, Record<string, string>][]} */ ([['meta', { property: 'og:image', content: `${address}social.png` }]])),
	],
	themeConfig: {
		logo: '/mark.svg',
		outline: [2, 3],
		// A claim's code is found in its title first, and only then in the texts that name it.
		search: { provider: 'local', options: { miniSearch: { searchOptions: { boost: { title: 20, text: 2, titles: 1 } } } } },
		nav: [
			{ text: 'Tutorial', link: '/tutorial' },
			{ text: 'Gallery', link: '/gallery' },
			{ text: 'Claims', link: '/claims/' },
			{ text: 'Reference', link: '/reference' },
			{ text: `Version ${lab.version}`, link: '/changelog' },
		],
		sidebar: MENU.map(([text, pages]) => ({ text, items: pages.map(([name, link]) => ({ text: name, link })) })),
	},
});
