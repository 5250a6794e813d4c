/** Failed and successful requests over time, small enough for the first screen of a phone. The charts below have the figures. */

import type { Result } from '../../record/types.js';
import { isProgram } from '../calibration.ts';
import { figure } from '../format.ts';
import { html } from '../html.ts';

/** Of the drawing, whose width is stretched: a unit is a second. */
const HEIGHT = 40;
/** A second or two that are as many times as high as all others would press these flat: such are cut off. */
const CUT_TIMES = 2;
const CUT_MOST = 2;
/** What is left free above the highest that is drawn whole, so that the others stand out. */
const ABOVE = 1.25;

/** @returns null where no second is known */
export function overTime(result: Result) {
	const seconds = isProgram(result) ? [] : result.timeline.filter(({ t_s }) => t_s > 0);
	const failed = seconds.map(({ failures_per_s: own }) => own ?? 0);
	const good = seconds.map(({ goodput_rps: own }) => own ?? 0);
	const most = Math.max(0, ...failed.map((own, at) => own + good[at]));
	if (most === 0) return null;
	const until = `${figure(seconds[seconds.length - 1].t_s)} s`;
	const all = failed.map((own, at) => own + good[at]);
	const next = all.toSorted((one, other) => other - one)[CUT_MOST] ?? 0;
	const isCut = next > 0 && most > CUT_TIMES * next;
	const top = isCut ? ABOVE * next : most;
	const layer = (name: string, upper: number[], lower: number[]) => html`<path class="${name}" d="${layerOf(upper, lower, top)}"/>`;
	const ground = failed.map(() => 0);
	const isCalm = failed.every((own) => own === 0);
	const key = isCalm ? 'none failed' : html`<span class="key bad">failed</span> <span class="key good">successful</span>`;
	return html`<div class="over-time"><p class="fine">Requests/s, peak ${figure(most)}${isCut && ' (cut off)'}: ${key}</p>
<svg viewBox="0 0 ${seconds.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="Requests per second, at most ${figure(most)}, until ${until}; failed at most ${figure(Math.max(...failed))}">${layer('good', all, failed)}${!isCalm && layer('bad', failed, ground)}</svg>
<p class="fine axis"><span>0 s</span><a href="#timeline">${until}</a></p></div>`;
}

/** Steps along its upper edge, and back along its lower one. */
function layerOf(upper: number[], lower: number[], top: number) {
	const height = (value: number) => Math.round(HEIGHT * (1 - Math.min(value / top, 1)) * 10) / 10;
	const along = (values: number[], sign: '' | '-') => values.map((value) => `V${height(value)}h${sign}1`).join('');
	return `M0 ${HEIGHT}${along(upper, '')}${along(lower.toReversed(), '-')}z`;
}
