/**
 * Makes docs/first-run.webp, the moving picture of the README: the terminal of `doubletake init` and `doubletake run` in a copy of
 * examples/shop, and the first screen of the report that this run made. Nothing in it is acted: a terminal of its own records what the
 * commands print and when. Only waiting is shortened.
 *
 *     node test/browser/moving-picture.ts FOLDER
 *
 * The browser packs images loosely: an encoder that tries harder makes the same pixels a third smaller.
 *
 * Needs Docker, Chromium and `script` (util-linux). FOLDER is one that is not there, and is made; where it has a whole recording already, that is drawn again.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { ROOT } from '../../lab/base/paths.ts';
import { openBrowser } from './screens.ts';
import { animated, HEIGHT, LINE, MARGIN, WIDTH } from './webp.ts';

const MADE = join(ROOT, 'docs/first-run.webp');
const BYTES_MOST = 130_000;
/** What is typed. The database stands still for 10 s, so that the report has something to find. */
const COMMANDS = ['doubletake init', "FAULT='pause store@20s+10s' doubletake run"];
/** Of the terminal, in characters, and of the picture, in CSS pixels. */
const [COLUMNS, ROWS] = [116, 36];
/** What was waited is shown as that share of it; milliseconds of a frame at least, of a wait at most, of a whole screen and of the report. */
const [SHARE, LEAST, MOST, SCREEN_MS, REPORT_MS] = [0.1, 800, 900, 3500, 9000];

type Written = { ms: number; text: string };

function record(folder: string): void {
	mkdirSync(folder);
	const shop = join(folder, 'shop');
	cpSync(join(ROOT, 'examples/shop'), shop, { recursive: true, filter: (path) => !/reports|doubletake\.yaml$/.test(path) });
	const env = { ...process.env, PATH: `${join(ROOT, 'lab')}:${process.env.PATH}`, TERM: 'xterm-256color' };
	// What is installed at the first call is no part of it.
	execFileSync('doubletake', ['help'], { env, stdio: 'ignore' });
	for (const [index, command] of COMMANDS.entries()) {
		const files = ['-O', join(folder, `${index}.out`), '-T', join(folder, `${index}.timing`)];
		execFileSync('script', ['-qfe', ...files, '-c', `stty cols ${COLUMNS} rows ${ROWS}; ${command}`], { cwd: shop, env, stdio: 'inherit' });
	}
}

/** @returns what was written, each with the time since what was written before it */
function readRecorded(folder: string, index: number): Written[] {
	const bytes = readFileSync(join(folder, `${index}.out`));
	// Its first line is the recorder's own.
	let at = bytes.indexOf('\n') + 1;
	return readFileSync(join(folder, `${index}.timing`), 'utf8')
		.trim()
		.split('\n')
		.map((line) => {
			const [seconds, length] = line.split(' ').map(Number);
			at += length;
			return { ms: seconds * 1000, text: String(bytes.subarray(at - length, at)) };
		});
}

/** What such a terminal shows; colours are left out. */
class Terminal {
	rows = [''];
	#row = 0;
	#column = 0;

	write(text: string): void {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own
		for (const [piece] of text.matchAll(/\x1b\[[?\d;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]/gu)) this.#take(piece);
	}

	#take(piece: string): void {
		if (piece === '\r') this.#column = 0;
		else if (piece === '\n') this.#down();
		else if (piece.startsWith('\x1b[')) this.#control(piece.at(-1) ?? '', Number.parseInt(piece.slice(2), 10));
		else {
			if (this.#column >= COLUMNS) {
				this.#down();
				this.#column = 0;
			}
			const row = this.rows[this.#row].padEnd(this.#column);
			this.rows[this.#row] = row.slice(0, this.#column) + piece + row.slice(this.#column + 1);
			this.#column += 1;
		}
	}

	#control(name: string, given: number): void {
		const row = this.rows[this.#row];
		if (name === 'K') this.rows[this.#row] = given === 2 ? '' : row.slice(0, this.#column);
		else if (name === 'J') {
			this.rows[this.#row] = row.slice(0, this.#column);
			this.rows.length = this.#row + 1;
		} else if (name === 'A') this.#row = Math.max(0, this.#row - (given || 1));
		else if (name === 'G') this.#column = (given || 1) - 1;
	}

	#down(): void {
		this.#row += 1;
		if (this.#row >= this.rows.length) this.rows.push('');
	}
}

/** rows: from the one that changed first to the one that changed last */
export type Frame = { image: Buffer; x: number; y: number; width: number; height: number; ms: number };

const TERMINAL = `<!doctype html><style>body { margin: 0; background: #15181c; color: #e4e7eb } pre { margin: ${MARGIN}px; font: 13.4px/${LINE}px 'DejaVu Sans Mono', monospace }</style><pre></pre>`;

/** @param from row, and how many of them */
async function picture(page: Page, rows: string[], from: number, number: number, ms: number): Promise<Frame> {
	const shown = rows.slice(-ROWS);
	await page.evaluate((text) => {
		(document.querySelector('pre') as HTMLElement).textContent = text;
	}, shown.join('\n'));
	// Frames begin at even pixels.
	const y = from === 0 ? 0 : (MARGIN + from * LINE) & ~1;
	const height = Math.min(HEIGHT - y, number * LINE + 4);
	return { ...(await taken(page, { x: 0, y, width: WIDTH, height }, OF_TEXT)), ms };
}

/**
 * Colours that are kept without loss, and how far they are apart at least: the most frequent ones. Of sixteen two pixels are a byte. quality: with loss,
 * where that is smaller.
 */
const [OF_TEXT, OF_PAGE] = [
	{ most: 16, apart: 14, quality: 0.45 },
	{ most: 48, apart: 10, quality: null },
];

async function taken(
	page: Page,
	clip: { x: number; y: number; width: number; height: number },
	colours: { most: number; apart: number; quality: number | null },
): Promise<Frame> {
	const png = (await page.screenshot({ clip })).toString('base64');
	const url = await page.evaluate(
		async ({ data, most, apart, quality }) => {
			const image = new Image();
			image.src = `data:image/png;base64,${data}`;
			await image.decode();
			const canvas = document.createElement('canvas');
			canvas.width = image.width;
			canvas.height = image.height;
			const context = canvas.getContext('2d', { alpha: false }) as CanvasRenderingContext2D;
			context.drawImage(image, 0, 0);
			const all = context.getImageData(0, 0, canvas.width, canvas.height);
			const pixels = new Uint32Array(all.data.buffer);
			const times: Map<number, number> = new Map();
			for (const colour of pixels) times.set(colour, (times.get(colour) ?? 0) + 1);
			const distance = (one: number, other: number) =>
				Math.hypot(...[0, 8, 16].map((bits) => ((one >> bits) & 255) - ((other >> bits) & 255)));
			const kept: number[] = [];
			for (const [colour] of [...times].sort(([, one], [, other]) => other - one))
				if (kept.length < most && kept.every((one) => distance(one, colour) >= apart)) kept.push(colour);
			const nearest = new Map(
				[...times.keys()].map((colour) => [
					colour,
					kept.reduce((best, one) => (distance(one, colour) < distance(best, colour) ? one : best), kept[0]),
				]),
			);
			for (const [at, colour] of pixels.entries()) pixels[at] = nearest.get(colour) ?? colour;
			context.putImageData(all, 0, 0);
			const whole = canvas.toDataURL('image/webp', 1);
			if (quality === null) return whole;
			context.drawImage(image, 0, 0);
			const lossy = canvas.toDataURL('image/webp', quality);
			return lossy.length < whole.length ? lossy : whole;
		},
		{ data: png, ...colours },
	);
	return { image: Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'), ...clip, ms: 0 };
}

async function framesOf(page: Page, folder: string): Promise<Frame[]> {
	const frames: Frame[] = [];
	await page.setContent(TERMINAL);
	for (const [index, command] of COMMANDS.entries()) {
		const terminal = new Terminal();
		const prompt = '$ ';
		frames.push(await picture(page, [`${prompt}${command}`], 0, ROWS + 4, MOST));
		terminal.write(`${prompt}${command}\r\n`);
		let before = [...terminal.rows];
		const written = readRecorded(folder, index);
		let waited = 0;
		for (const [at, { ms, text }] of written.entries()) {
			// It was waited while the frame before was seen.
			waited += Math.min(MOST, ms * SHARE);
			terminal.write(text);
			if (waited < LEAST && at < written.length - 1) continue;
			frames[frames.length - 1].ms = Math.round(Math.max(frames[frames.length - 1].ms, waited));
			waited = 0;
			const now = terminal.rows;
			const changed = [...Array(Math.max(now.length, before.length)).keys()].filter((row) => now[row] !== before[row]);
			if (changed.length === 0) continue;
			const [first, end] = now.length > ROWS ? [0, ROWS] : [changed[0], changed[changed.length - 1] + 1];
			frames.push(await picture(page, now, first, end - first, 0));
			before = [...now];
		}
		frames[frames.length - 1].ms = SCREEN_MS;
	}
	await page.goto(pathToFileURL(join(folder, 'shop', reportIn(folder))).href);
	const whole = await taken(page, { x: 0, y: 0, width: WIDTH, height: HEIGHT }, OF_PAGE);
	return [...frames, { ...whole, ms: REPORT_MS }];
}

/** As the run named it. */
function reportIn(folder: string): string {
	const [, path] = /report: (\S+\.html)/.exec(readFileSync(join(folder, `${COMMANDS.length - 1}.out`), 'utf8')) ?? [];
	if (path === undefined) throw new Error(`${folder}: expected a run that names its report; found none. Record again in an empty folder.`);
	return path;
}

const [given] = process.argv.slice(2);
if (given === undefined) throw new Error('Expected a folder for the recording; found none: node test/browser/moving-picture.ts FOLDER');
const folder = resolve(given);
if (!existsSync(join(folder, `${COMMANDS.length - 1}.out`))) {
	record(folder);
}
const browser = await openBrowser();
try {
	const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, colorScheme: 'light' });
	const frames = await framesOf(page, folder);
	const made = animated(frames);
	if (made.length > BYTES_MOST) throw new Error(`${MADE}: expected at most ${BYTES_MOST} bytes; found ${made.length}.`);
	writeFileSync(MADE, made);
	const seconds = frames.reduce((sum, { ms }) => sum + ms, 0) / 1000;
	console.log(`${MADE}: ${frames.length} frames, ${made.length} bytes, ${seconds.toFixed(0)} s`);
} finally {
	await browser.close();
}
