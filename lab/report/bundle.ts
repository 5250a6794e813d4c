/** The scripts in assets/ and what they import, the chart library among it, as one text to be put into a page. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Html } from './html.ts';

const chartLibrary = dirname(createRequire(import.meta.url).resolve('uplot'));

/** a program that renders many reports bundles once */
const bundles: Map<string, Promise<Html>> = new Map();

/**
 * @param name a module in assets/
 * @returns a script without imports, with `</script` escaped
 */
export function bundleScript(name: string): Promise<Html> {
	const known = bundles.get(name) ?? bundle(name);
	bundles.set(name, known);
	return known;
}

async function bundle(name: string) {
	const { outputFiles } = await build({
		entryPoints: [fileURLToPath(new URL(`assets/${name}`, import.meta.url))],
		bundle: true,
		format: 'iife',
		platform: 'browser',
		target: 'es2022',
		charset: 'utf8',
		minify: true,
		legalComments: 'inline',
		write: false,
	});
	return new Html(outputFiles[0].text);
}

/** The chart library's own styles. */
export const chartStyles = () => new Html(readFileSync(join(chartLibrary, 'uPlot.min.css'), 'utf8'));
