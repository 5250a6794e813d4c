/** Tables. Wide ones scroll inside their own frame, which can be reached by keyboard, so that the page itself never does. */

import type { Doubt } from '../record/types.js';
import { count, percent } from './format.ts';
import type { Html, Piece } from './html.ts';
import { html } from './html.ts';

type Column = string | { title: Piece; numeric?: boolean };

/**
 * @param name for readers who do not see it
 * @param rows the first cell of each names the row
 * @param options isCards: on a narrow screen each row is a card, whose cells say what they are
 */
export function table(name: string, heads: Column[], rows: Piece[][], { isCards = false }: { isCards?: boolean } = {}) {
	const columns = heads.map((head) => (typeof head === 'string' ? { title: head, numeric: false } : head));
	// A table that has figures has hardly anything else: what is text beside them says so.
	const hasFigures = columns.some(({ numeric: isFigure }) => isFigure);
	const isOdd = (index: number) => hasFigures && Boolean(columns[index]?.numeric) === (index === 0);
	const classOf = (index: number) => isOdd(index) && html` class="${index === 0 ? 'number' : 'text'}"`;
	const classes = [isCards && 'cards', hasFigures && 'figures'].filter(Boolean).join(' ');
	const style = isCards && html` style="${cardLabels(columns.map(({ title }) => title))}"`;
	return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table${classes !== '' && html` class="${classes}"`}${style}>
<thead><tr>${columns.map(({ title }, index) => html`<th scope="col"${classOf(index)}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(
		(cells) => html`<tr>${cells.map((cell, index) =>
			index === 0 ? html`<th scope="row"${classOf(0)}>${cell}</th>` : html`<td${classOf(index)}>${cell}</td>`,
		)}</tr>
`,
	)}</tbody></table></div>`;
}

/**
 * What the cells of a card are, once for all rows: cards.css shows it before each.
 * @param titles of the columns; the first names the row
 * @returns for the style of a table or a row
 */
export const cardLabels = (titles: Piece[]): string =>
	titles
		.map((title, index) => `--c${index + 1}:"${String(title).replace(/<[^<>]*>|["\\\\]/g, '')}"`)
		.slice(1)
		.join(';');

/** The data of a figure, folded away. */
export const dataTable = (name: string, columns: Column[], rows: Piece[][]) =>
	html`<details class="data"><summary>Table</summary>${table(name, columns, rows)}</details>`;

/**
 * The axes that intervals are drawn on: how far they reach, where a value stands, and which values are named. A ratio has a
 * logarithmic axis around 1, so that twice as much and half as much are equally far from it; a difference has a linear one
 * around 0, a share a linear one from 0.
 */
export type AxisScale = 'ratio' | 'difference' | 'share';

export type Domain = { low: number; high: number };

type Interval = { estimate: number | null; low: number | null; high: number | null };

/** How far a ratio axis may reach, with what is named between 1 and there. What is further out is an arrow at the edge. */
const RATIO_TICKS = new Map([
	[1.25, [0.8, 0.9, 1, 1.1, 1.25]],
	[1.5, [1 / 1.5, 0.8, 1, 1.25, 1.5]],
	[2, [0.5, 0.7, 1, 1.4, 2]],
	[3, [1 / 3, 0.6, 1, 1.7, 3]],
	[4, [0.25, 0.5, 1, 2, 4]],
	[6, [1 / 6, 0.4, 1, 2.5, 6]],
	[10, [0.1, 0.3, 1, 3, 10]],
]);
/** Ends of linear axes, times powers of ten; half of each is a short number too. */
const LINEAR_ENDS = [1, 2, 3, 4, 6, 8, 10];
/** 0.2 percentage points: the least delta, one request in a thousand, then takes up half of the axis. */
const LEAST_REACH = 0.002;
/** Beside the axis there is room for the arrows of what is outside of it. */
const INSET = 0.06;
const MINUS = '−';

/**
 * @param rows that share the axis
 * @param also what has to be on it besides
 * @returns symmetric around 1
 */
export function ratioDomain(rows: Interval[], also: number[] = []): Domain {
	const reach = Math.max(1, ...valuesOf(rows, also).map((value) => (value > 0 ? Math.max(value, 1 / value) : 1)));
	const reaches = [...RATIO_TICKS.keys()];
	const high = reaches.find((most) => most >= reach) ?? reaches[reaches.length - 1];
	return { low: 1 / high, high };
}

/** @returns symmetric around 0 */
export function differenceDomain(rows: Interval[], also: number[] = []): Domain {
	const high = endAbove(Math.max(LEAST_REACH, ...valuesOf(rows, also).map(Math.abs)));
	return { low: -high, high };
}

/** @returns from 0 */
export const shareDomain = (rows: Interval[], also: number[] = []): Domain => ({
	low: 0,
	high: endAbove(Math.max(LEAST_REACH, ...valuesOf(rows, also))),
});

const valuesOf: (rows: Interval[], also: number[]) => number[] = (rows, also) =>
	[...rows.flatMap(({ estimate, low, high }) => [estimate, low, high]), ...also].filter(
		(value): value is number => value !== null && Number.isFinite(value),
	);

/** The next short number, and never more than all. */
function endAbove(reach: number) {
	const power = 10 ** Math.floor(Math.log10(reach));
	// Without the rounding, 3 × 0.1 would be more than 0.3.
	const ends = LINEAR_ENDS.map((end) => Number((end * power).toPrecision(2)));
	return Math.min(1, ends.find((end) => end >= reach) ?? ends[ends.length - 1]);
}

/** @returns from a value to its place across the picture, 0 to 1; outside of that where it is not on the axis */
function placesOn(scale: AxisScale, { low, high }: Domain): (value: number) => number {
	const along = scale === 'ratio' ? (value: number) => (value > 0 ? Math.log(value) : -Infinity) : (value: number) => value;
	const [start, end] = [along(low), along(high)];
	return (value) => INSET + ((along(value) - start) / (end - start)) * (1 - 2 * INSET);
}

const isOn: (value: number, domain: Domain) => boolean = (value, { low, high }) => value >= low && value <= high;

/** @returns from left to right */
function ticksOf(scale: AxisScale, { low, high }: Domain): { value: number; text: string }[] {
	if (scale === 'ratio') {
		const known = Math.abs(low * high - 1) < 1e-9 ? RATIO_TICKS.get(high) : undefined;
		return (known ?? [low, high]).map((value) => ({ value, text: `${Number(value.toPrecision(value < 1 ? 2 : 3))}×` }));
	}
	const values = scale === 'share' ? [low, high / 2, high] : [low, low / 2, 0, high / 2, high];
	return values.map((value) => ({ value, text: scale === 'share' ? percent(value) : points(value) }));
}

/** Percentage points, signed. */
function points(value: number) {
	const sign = value > 0 ? '+' : value < 0 ? MINUS : '';
	return `${sign}${Number((Math.abs(value) * 100).toPrecision(3))}`;
}

/**
 * An interval drawn on an axis, as a picture for one row of a table: whatever shares a domain can be compared by eye. The
 * picture is as wide as its place; strokes and marks keep their size. It computes nothing but places.
 *
 * Needs assets/interval-axis.css.
 */
type Mark = { value: number; label: string; kind: 'threshold' | 'published' };

/** open: nothing is decided, so the estimate is hollow */
type Tone = 'plain' | 'better' | 'worse' | 'same' | 'open';

/** CSS pixels. */
const ROW_HEIGHT = 26;
const LABEL_HEIGHT = 14;
const TICKS_HEIGHT = 20;
const TICK = 4;
/** Taller than the dot, so that an interval narrower than the dot still shows its ends. */
const CAP = 6;
const RADIUS = 3.5;
const ARROW = html`<path class="arrow" d="M8,0L0,-5V5Z"/>`;
const ARROW_LEFT = html`<path class="arrow" d="M-8,0L0,-5V5Z"/>`;
const DIAMOND = html`<path class="published" d="M0,-6L6,0L0,6L-6,0Z"/>`;
/** Labels nearer to an edge than this, of the width, are set inwards. */
const EDGE = 0.22;

/** One row: the interval as a line with caps, its estimate as a dot, an arrow where it leaves the axis. */
export function intervalAxis({
	scale,
	row,
	domain,
	shade = null,
	marks = [],
	label,
	tone = 'plain',
}: {
	scale: AxisScale;
	/** null: not measured, or without an interval */
	row: Interval;
	/** from `ratioDomain`, `differenceDomain` or `shareDomain` */
	domain: Domain;
	/** what does not matter, such as delta; or the side on which a claim holds; not drawn without an estimate */
	shade?: Domain | null;
	/** a threshold is a line, a published figure a hollow diamond, each named above the row */
	marks?: Mark[];
	/** the row in words with its figures, for those who do not see it */
	label: string;
	tone?: Tone;
}): Html {
	const top = marks.length * LABEL_HEIGHT;
	const height = top + ROW_HEIGHT;
	const y = top + ROW_HEIGHT / 2;
	const x = placesOn(scale, domain);
	return html`<svg class="interval ${tone}" width="100%" height="${height}" role="img" aria-label="${label}">
${shade && row.estimate !== null && shadeRect(shade, domain, x, top)}${ground(scale, domain, x, top, height)}${marks.map((mark, index) => markShape(mark, index, x, y, height))}${intervalShape(row, domain, x, y)}</svg>`;
}

/** The axis itself, named: above its rows, in the head of the column, or below them. */
export function intervalTicks({ scale, domain, side = 'above' }: { scale: AxisScale; domain: Domain; side?: 'above' | 'below' }) {
	const x = placesOn(scale, domain);
	const [start, end, base] = side === 'above' ? [TICKS_HEIGHT - TICK, TICKS_HEIGHT, TICKS_HEIGHT - TICK - 3] : [0, TICK, TICKS_HEIGHT - 4];
	return html`<svg class="interval ticks" width="100%" height="${TICKS_HEIGHT}" aria-hidden="true">${ticksOf(scale, domain).map(
		({ value, text }) =>
			html`<line x1="${at(x(value))}" x2="${at(x(value))}" y1="${start}" y2="${end}"/><text x="${at(x(value))}" y="${base}">${text}</text>`,
	)}</svg>`;
}

/** @param place 0 to 1 */
const at = (place: number) => `${Number((Math.min(1, Math.max(0, place)) * 100).toFixed(2))}%`;

type Places = (value: number) => number;

function shadeRect({ low, high }: Domain, domain: Domain, x: Places, top: number): Html {
	const [left, right] = [x(Math.max(low, domain.low)), x(Math.min(high, domain.high))];
	return html`<rect class="shade" x="${at(left)}" width="${at(Math.max(0, right - left))}" y="${top}" height="${ROW_HEIGHT}"/>`;
}

/** The axis, and the line of no difference. */
function ground(scale: AxisScale, domain: Domain, x: Places, top: number, height: number): Html {
	const none = scale === 'ratio' ? 1 : 0;
	const line = isOn(none, domain) && html`<line class="none" x1="${at(x(none))}" x2="${at(x(none))}" y1="${top}" y2="${height}"/>`;
	return html`<line class="ground" x1="${at(x(domain.low))}" x2="${at(x(domain.high))}" y1="${height - 0.5}" y2="${height - 0.5}"/>${line}`;
}

function markShape({ value, label, kind }: Mark, index: number, x: Places, y: number, height: number): Html {
	const place = Math.min(1, Math.max(0, x(value)));
	const anchor = place < EDGE ? 'start' : place > 1 - EDGE ? 'end' : 'middle';
	const base = (index + 1) * LABEL_HEIGHT;
	const line = html`<line class="lead-line ${kind}" x1="${at(place)}" x2="${at(place)}" y1="${base - 1}" y2="${kind === 'threshold' ? height : y}"/>`;
	return html`${line}${kind === 'published' && shifted(place, y, DIAMOND)}<text class="${kind}" x="${at(place)}" y="${base - 3}" text-anchor="${anchor}">${label}</text>`;
}

function intervalShape({ estimate, low, high }: Interval, domain: Domain, x: Places, y: number): Html {
	if (estimate === null) return html`<text class="nothing" x="${at(x(domain.low))}" y="${y + 4}">nothing to compare</text>`;
	const from = low ?? estimate;
	const to = high ?? estimate;
	const [left, right] = [x(Math.max(from, domain.low)), x(Math.min(to, domain.high))];
	const edges = [x(domain.low), x(domain.high)];
	// What is outside as a whole is an arrow alone.
	const reach =
		low !== null &&
		right >= left &&
		html`<line class="reach" x1="${at(left)}" x2="${at(right)}" y1="${y}" y2="${y}"/>${[from, to].filter((end) => isOn(end, domain)).map((end) => cap(x(end), y))}`;
	return html`${reach}${from < domain.low && shifted(edges[0], y, ARROW_LEFT)}${to > domain.high && shifted(edges[1], y, ARROW)}${isOn(estimate, domain) && html`<circle class="estimate${low === null && ' alone'}" cx="${at(x(estimate))}" cy="${y}" r="${RADIUS}"/>`}`;
}

const cap: (place: number, y: number) => Html = (place, y) =>
	html`<line class="reach" x1="${at(place)}" x2="${at(place)}" y1="${y - CAP}" y2="${y + CAP}"/>`;

/** A path knows no percentages, but what it stands in does. */
const shifted: (place: number, y: number, path: Html) => Html = (place, y, path) =>
	html`<svg x="${at(place)}" y="${y}" overflow="visible">${path}</svg>`;

/**
 * Doubt about an arm, wherever its figures stand: how many of its runs were SUSPECT, and why.
 *
 */

/** `8 of 8 SUSPECT`, or nothing. */
export const doubtShort = (doubt: Doubt | null) => (doubt ? `${count(doubt.suspect)} of ${count(doubt.runs)} SUSPECT` : null);

/** Beside a figure or a name: the numbers, and the reason for whoever points at it. */
export const doubtNote = (doubt: Doubt | null) =>
	doubt && html`<span class="service doubt" title="${doubt.text}">${doubtShort(doubt)}</span>`;

/** A line of its own, with the reason. */
export const doubtLine = (doubt: Doubt | null) => doubt && html`<p class="doubt">In doubt: ${doubt.text}.</p>`;
