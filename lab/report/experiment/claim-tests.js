/**
 * The parts of a claim's test, drawn: the interval that was measured against the threshold that was fixed, and the published
 * figure beside them.
 *
 * @typedef {import('../../record/experiment-result.js').ClaimTest} ClaimTest
 */
import { count, MISSING, plural } from '../format.js';
import { html } from '../html.js';
import { differenceDomain, intervalAxis, intervalTicks, ratioDomain, shareDomain } from '../interval-axis.js';
import { stamp } from '../stamp.js';
import { dataTable, numeric } from '../table.js';
import { intervalText, onScale, wantedText } from './words.js';

const DOMAINS = { ratio: ratioDomain, difference: differenceDomain, share: shareDomain };
/** How the interval is drawn, beside the stamp that says it. */
const TONES = /** @type {const} */ ({ HOLDS: 'better', REFUTED: 'worse', INCONCLUSIVE: 'open' });

/**
 * @param {string} claimId
 * @param {ClaimTest[]} tests
 */
export function testsFigure(claimId, tests) {
  const hasPublished = tests.some(({ published }) => published !== null);
  return html`<figure class="tests">
<figcaption><b>The test.</b> The claim holds on the shaded side: a figure has to lie there with its whole interval, a share of runs by itself.${hasPublished && ' The published figure is marked with a diamond.'}</figcaption>
<div class="test-rows">${tests.map((test) => testRow(test, tests))}</div>
${dataTable(
  `The test of ${claimId}`,
  [
    { title: 'Test' },
    numeric('Wanted'),
    numeric('Measured'),
    numeric('95 % interval'),
    numeric('Blocks'),
    numeric('Published'),
    { title: 'Verdict' },
  ],
  tests.map((test) => [
    test.label,
    wantedText(test),
    onScale(test.scale, test.estimate),
    intervalText(test),
    count(test.blocks),
    onScale(test.scale, test.published),
    stamp(test.verdict),
  ]),
)}
</figure>
`;
}

/** @type {(test: ClaimTest, all: ClaimTest[]) => import('../html.js').Html} */
function testRow(test, all) {
  const { label, scale, estimate, verdict, blocks } = test;
  const interval = intervalText(test);
  const rests =
    test.basis === 'published' ? 'in the published file' : `${interval === MISSING ? 'no interval' : interval}, ${plural(blocks, 'block')}`;
  return html`<div class="test"><p class="what"><b>${label}</b> <span>wanted: ${wantedText(test)}</span></p>
<div class="axis">${drawn(test, domainOf(scale, all))}</div>
<p class="came"><b>${onScale(scale, estimate)}</b> <span class="spread">${rests}</span> ${stamp(verdict)}</p></div>`;
}

/** @type {(test: ClaimTest, domain: import('../interval-axis.js').Domain) => import('../html.js').Html} */
function drawn(test, domain) {
  const { scale, estimate, threshold, wanted, published, label, verdict } = test;
  const row = intervalAxis({
    scale,
    row: test,
    domain,
    shade: wanted === 'at least' ? { low: threshold, high: domain.high } : { low: domain.low, high: threshold },
    marks: [
      { value: threshold, label: wantedText(test), kind: 'threshold' },
      ...(published === null
        ? []
        : [{ value: published, label: `published ${onScale(scale, published)}`, kind: /** @type {const} */ ('published') }]),
    ],
    label: `${label}: ${onScale(scale, estimate)}, 95 % interval ${intervalText(test)}; wanted ${wantedText(test)}; ${verdict}`,
    tone: TONES[verdict],
  });
  return html`${row}${intervalTicks({ scale, domain })}`;
}

/**
 * Tests of a claim that are on one scale share an axis, so that they can be compared by eye.
 * @type {(scale: ClaimTest['scale'], tests: ClaimTest[]) => import('../interval-axis.js').Domain}
 */
function domainOf(scale, tests) {
  const alike = tests.filter((test) => test.scale === scale);
  const marks = alike.flatMap(({ threshold, published }) => (published === null ? [threshold] : [threshold, published]));
  return DOMAINS[scale](alike, marks);
}
