import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, jsonText } from './html.js';

const ATTACK = `</script><img src=x onerror=alert(1)>`;

test('a value is escaped in text and in attributes', () => {
  assert.equal(
    String(html`<p title="${'"quoted" & \'single\''}">${ATTACK}</p>`),
    '<p title="&quot;quoted&quot; &amp; &#39;single&#39;">&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</p>',
  );
});

test('markup from a template and lists of it are kept', () => {
  assert.equal(String(html`<ul>${['a', '<b>'].map((item) => html`<li>${item}</li>`)}</ul>`), '<ul><li>a</li><li>&lt;b&gt;</li></ul>');
});

test('what is absent leaves nothing, and zero is shown', () => {
  assert.equal(String(html`${null}${undefined}${false}${0}`), '0');
});

test('data in a script element cannot end it and reads back unchanged', () => {
  const text = String(jsonText({ line: `<!-- ${ATTACK}` }));
  assert.ok(!text.includes('<'));
  assert.deepEqual(JSON.parse(text), { line: `<!-- ${ATTACK}` });
});

test('data keeps its counts and moments whole, and of fractions what can be told apart', () => {
  const data = { count: 12_345_678, began_s: 1795222382.217, rate_rps: 1234.56789, median: 23.009999999999998, none: null };
  assert.deepEqual(JSON.parse(String(jsonText(data))), { ...data, rate_rps: 1234.6, median: 23.01 });
});
