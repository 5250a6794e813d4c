import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  differenceDomain,
  doubtLine,
  doubtNote,
  doubtShort,
  intervalAxis,
  intervalTicks,
  placesOn,
  ratioDomain,
  shareDomain,
  ticksOf,
} from './table.js';

const ratio = { estimate: 1.9, low: 1.8, high: 2.1 };
const nothing = { estimate: null, low: null, high: null };

/** @param {Partial<Parameters<typeof intervalAxis>[0]>} [changes] */
const drawn = (changes = {}) =>
  intervalAxis({ scale: 'ratio', row: ratio, domain: ratioDomain([ratio]), label: 'goodput', ...changes }).text;

test('a ratio axis is symmetric around 1, and twice is as far from it as half', () => {
  const domain = ratioDomain([ratio]);
  assert.deepEqual(domain, { low: 1 / 3, high: 3 });
  const place = placesOn('ratio', domain);
  assert.ok(Math.abs(place(1) - 0.5) < 1e-12);
  assert.ok(Math.abs(place(2) - 0.5 - (0.5 - place(0.5))) < 1e-12);
});

test('a ratio axis reaches for what is small as for what is large, and stops at ten times', () => {
  assert.equal(ratioDomain([{ estimate: 0.3, low: 0.26, high: 0.4 }]).high, 4);
  assert.equal(ratioDomain([{ estimate: 28, low: 20, high: 40 }]).high, 10);
  assert.equal(ratioDomain([nothing]).high, 1.25);
  assert.equal(ratioDomain([nothing], [1.49]).high, 1.5);
  assert.equal(ratioDomain([{ estimate: 0, low: -1, high: Number.NaN }]).high, 1.25);
});

test('a difference axis ends at a short number, at 0.2 points at least and at all at most', () => {
  assert.deepEqual(differenceDomain([{ estimate: -0.199, low: -0.204, high: -0.192 }]), { low: -0.3, high: 0.3 });
  assert.deepEqual(differenceDomain([nothing]), { low: -0.002, high: 0.002 });
  assert.equal(differenceDomain([{ estimate: 0.3, low: 0.3, high: 0.3 }]).high, 0.3);
  assert.equal(differenceDomain([{ estimate: 0.97, low: 0.9, high: 1 }]).high, 1);
  assert.deepEqual(shareDomain([{ estimate: 0.12, low: 0.1, high: 0.14 }]), { low: 0, high: 0.2 });
});

test('ticks are written as the reader says them', () => {
  assert.deepEqual(
    ticksOf('ratio', { low: 1 / 3, high: 3 }).map(({ text }) => text),
    ['0.33×', '0.6×', '1×', '1.7×', '3×'],
  );
  assert.deepEqual(
    ticksOf('difference', { low: -0.3, high: 0.3 }).map(({ text }) => text),
    ['−30', '−15', '0', '+15', '+30'],
  );
  assert.match(intervalTicks({ scale: 'share', domain: { low: 0, high: 0.2 } }).text, /20\u00a0%/);
});

test('an interval has its line, its ends and its estimate, in that order', () => {
  const picture = drawn();
  assert.equal(picture.match(/class="reach"/g)?.length, 3);
  assert.equal(picture.match(/class="estimate"/g)?.length, 1);
  const [low, high] = [1.8, 2.1].map((value) => `${Number((placesOn('ratio', { low: 1 / 3, high: 3 })(value) * 100).toFixed(2))}%`);
  assert.ok(picture.includes(`x1="${low}" x2="${high}"`));
  assert.ok(!picture.includes('class="arrow"'));
});

test('what leaves the axis is an arrow, and has no end there', () => {
  const row = { estimate: 8, low: 2, high: 30 };
  const picture = drawn({ row, domain: ratioDomain([row]) });
  assert.equal(picture.match(/class="arrow"/g)?.length, 1);
  assert.equal(picture.match(/class="reach"/g)?.length, 2);
  const outside = drawn({ row: { estimate: 28, low: 20, high: 40 }, domain: { low: 0.1, high: 10 } });
  assert.equal(outside.match(/class="arrow"/g)?.length, 1);
  assert.ok(!outside.includes('class="estimate"'));
  assert.ok(!outside.includes('class="reach"'));
});

test('without an interval the estimate stands alone, and without an estimate it is said', () => {
  assert.ok(drawn({ row: { ...ratio, low: null, high: null } }).includes('class="estimate alone"'));
  const empty = drawn({ row: nothing, shade: { low: 0.95, high: 1.05 } });
  assert.ok(empty.includes('nothing to compare'));
  assert.ok(!empty.includes('class="shade"'));
  assert.doesNotMatch(empty, /NaN|null|Infinity/);
});

test('shading is cut at the ends of the axis', () => {
  const picture = drawn({ shade: { low: 1.49, high: 500 } });
  const place = placesOn('ratio', { low: 1 / 3, high: 3 });
  assert.ok(
    picture.includes(
      `class="shade" x="${Number((place(1.49) * 100).toFixed(2))}%" width="${Number(((place(3) - place(1.49)) * 100).toFixed(2))}%"`,
    ),
  );
});

test('marks are named, a published figure is a diamond, and their labels stand below each other', () => {
  const picture = drawn({
    marks: [
      { value: 1.49, label: 'at least 1.49×', kind: 'threshold' },
      { value: 0.61, label: '<b>published', kind: 'published' },
    ],
  });
  assert.ok(picture.includes('at least 1.49×'));
  assert.ok(picture.includes('&lt;b&gt;published'));
  assert.equal(picture.match(/<path class="published"/g)?.length, 1);
  const heights = [...picture.matchAll(/<text class="(?:threshold|published)"[^>]*y="(\d+)"/g)].map(([, y]) => y);
  assert.equal(new Set(heights).size, 2);
});

const DOUBT = { suspect: 3, runs: 8, text: '3 of 8 runs SUSPECT: <b>' };

test('doubt is said in numbers beside a figure, and with its reason in a line of its own', () => {
  assert.equal(doubtShort(DOUBT), '3 of 8 SUSPECT');
  assert.equal(String(doubtLine(DOUBT)?.text), '<p class="doubt">In doubt: 3 of 8 runs SUSPECT: &lt;b&gt;.</p>');
  assert.ok(doubtNote(DOUBT)?.text.includes('>3 of 8 SUSPECT</span>'));
});

test('without doubt nothing is said', () => {
  assert.deepEqual([doubtShort(null), doubtNote(null), doubtLine(null)], [null, null, null]);
});
