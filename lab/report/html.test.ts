import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeMarkdown, html, jsonText, markdown, markdownCode, markdownTable } from './html.ts';

const ATTACK = `</script><img src=x onerror=alert(1)>`;

test('a value is escaped in text and in attributes', () => {
	assert.equal(
		String(html`<p title="${'"quoted" & \'single\''}">${ATTACK}</p>`),
		'<p title="&quot;quoted&quot; &amp; &#39;single&#39;">&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</p>',
	);
	assert.equal(String(html`${'\u001b\u202e'}`), String.raw`\u001b\u202e`);
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

test('what means something in Markdown reads as itself', () => {
	assert.equal(
		escapeMarkdown('a*b _c_ d_e`d[e](f)<g>&amp;|~h~ #1 $x$ \\'),
		'a\\*b \\_c\\_ d_e\\`d\\[e\\](f)\\<g\\>\\&amp;\\|\\~h\\~ \\#1 \\$x\\$ \\\\',
	);
});

test('text at the beginning of a line starts no list, rule or heading', () => {
	assert.deepEqual(['- a', '+ a', '===', '1. a', '12) a', '# a', '> a', '1.5 s', '---'].map(escapeMarkdown), [
		'\\- a',
		'\\+ a',
		'\\===',
		'1\\. a',
		'12\\) a',
		'\\# a',
		'\\> a',
		'1.5 s',
		'\\---',
	]);
});

test('text stays on its line, and a space that keeps a figure beside its unit stays', () => {
	assert.equal(escapeMarkdown('    one\r\n\n# two\t3\u00a0s'), ' one \\# two 3\u00a0s');
});

test('nobody is called by a name in a message, and a digest stays whole', () => {
	assert.equal(escapeMarkdown('@somebody, mongo@sha256:12'), '@\u200bsomebody, mongo@sha256:12');
});

test('a template escapes what is put in and keeps its own markup', () => {
	assert.equal(String(markdown`**${'<b>*'}** ${markdown`_${1}_`}${false}${null}${['a|', markdown`\`b\``]}`), '**\\<b\\>\\*** _1_a\\|`b`');
});

test('a code span is closed by nothing that it holds', () => {
	assert.equal(String(markdownCode('make run-a')), '`make run-a`');
	assert.equal(String(markdownCode('a `` b `')), '``` a `` b ` ```');
});

test('a table keeps bars and line breaks inside their cells', () => {
	assert.equal(
		markdownTable(
			['name', { title: 'figure', numeric: true }],
			[
				['a|b\nc', 5],
				[markdownCode('x | y'), null],
			],
		),
		['| name | figure |', '| --- | ---: |', '| a\\|b c | 5 |', '| `x \\| y` |  |', ''].join('\n'),
	);
});
