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
