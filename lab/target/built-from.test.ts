import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtFrom } from './built-from.ts';

const [AT, GOT] = ['://127.0.0.1:1/x', ['http://127.0.0.1:1/x']];
const of = (text: string, args = {}) => builtFrom(`FROM own\n${text}\n`, args, (image) => image === 'own:made');

test('an address is found however it is written', () => {
	for (const text of [
		`ADD ht"tp"${AT} /x`,
		`ADD 'http:'//127.0.0.1:1/x /x`,
		String.raw`ADD ht\tp${AT} /x`,
		`ARG X=1\nADD h\${X:+ttp}${AT} /x`,
		`ENV X=\nADD h\${X:-ttp}\${X-a}\${X:+b}${AT} /x`,
		`ENV A=htt B="p:"\nADD $A\${B}//127.0.0.1:1/x /x`,
		`AD\\\nD ht\\\n # c\n\ntp${AT} /x`,
		`ADD --chmod="1 2" ["http\\u003a//127.0.0.1:1/x", "/x"]`,
		`ADD ["http${AT}", "/x"]`,
		`RUN echo "a <<E b"\nADD http${AT} /x`,
		`RUN echo \${x:-"<<E"} it's <<E\nADD http${AT} /x`,
		`RUN <<E\nADD a /x\nE\nADD http${AT} /x`,
		`\u0085ADD http${AT} /x`,
		`RUN a \\\n\ufeff#\nADD http${AT} /x`,
		`COPY <<"E" <<-F /x\nE\n\tF\nONBUILD ADD http${AT} /x`,
	])
		assert.deepEqual(of(text), { fetched: GOT, images: ['own'], unclear: [] }, text);
	for (const head of ['# escape=`', '# x=y\n# escape=`'])
		assert.deepEqual(builtFrom(`${head}\nFROM x\nADD ht\`\ntp${AT} /x\n`).fetched, GOT, head);
	assert.deepEqual(of('ADD root@127.0.0.1:x/y.git http://a,b@[::1]/ /x').fetched, ['root@127.0.0.1:x/y.git', 'http://a,b@[::1]/']);
	assert.deepEqual(of('RUN <<E\nADD http://a.test/ /x\nE\nCOPY http://b.test /\nADD a /http://c').fetched, []);
});

test('what may be an address, and is known to the builder alone, is unclear by its line', () => {
	const unclear = (text: string, args = {}) => of(text, args).unclear.map(({ line, word }) => `${line} ${word}`);
	const open = [
		...['$U/x', 'a$U', 'http:/$U', 'https://x.test$U', 'http://$U@a', ...['#a', ':-a', '/a/b'].map((how) => `\${U${how}}`)].map((word) => [
			`ADD ${word} /x`,
			word,
		]),
		['ARG U\nADD $U /x', '$U'],
		['ENV A=$U/\nADD $A /x', '$A'],
		['ENV A=a/\nONBUILD ADD $A /x', '$A'],
		["ENV A='\\' B=a/ C=' \nADD $B /x", '$B'],
		['FROM own:made\nARG U=a/\nADD $U /x', '$U'],
		['ARG U=a/\nFROM x\nADD $U /x', '$U'],
		[`ADD ${'${A:-'.repeat(9999)} /x`, '${A:-'.repeat(20)],
	];
	for (const [text, word] of open) assert.deepEqual(unclear(text), [`${text.split('\n').length + 1} ${word}`], text.slice(0, 99));
	for (const word of ['a', 'a/$U', './$U', 'https://x.test/$U.tgz', 'git@x.test:$U', '<<E$U', '$F', '$F/$U'])
		assert.deepEqual(unclear(`ARG F=target/x.jar\nADD ${word} $U`), [], word);
	for (const text of ['ARG F\nADD $F /x', 'ADD ["a/$U", "$U"]']) assert.deepEqual(unclear(text, { F: 'a' }), []);
	assert.deepEqual(of('ADD https://x.test/$U.tgz /').fetched, ['https://x.test/….tgz']);
	assert.equal(unclear(`RUN ["a"] <<E\nADD a /x`).length, 1);
});

test('a file of a line without end, and values of values, take no time', () => {
	const values = Array.from({ length: 60 }, (_, at) => `ARG A${at + 1}=$A${at}$A${at}`).join('\n');
	for (const text of [
		'ADD '.padEnd(9e5, 'a'),
		'ADD ["'.repeat(2e5),
		`ARG A=${'${A:-'.repeat(1e5)}`,
		'ADD a\\\n'.repeat(1e5),
		`ARG A0=x\n${values}\nADD $A60 /x`,
		'\\ '.repeat(5e5),
	])
		of(text);
});

test('images are those of other stages and mounts too', () => {
	const text =
		'FROM own:made AS a\nFROM a\nCOPY --from=a --from="127.0.0.1:5/b" / /\nRUN --mount=type=bind,from=10.0.0.1/c,target=/x true\nCOPY --from=0 / /';
	assert.deepEqual(builtFrom(`ARG R=localhost\nFROM --platform=x \${R}/d:$T\n${text}`, {}, (one) => one === 'own:made').images, [
		...['localhost/d:…', '127.0.0.1:5/b', '10.0.0.1/c'],
	]);
});

test('who reads the file is found in whichever place', () => {
	for (const before of ['# escape=`\n', '#!/bin/sh\n', '# check=skip=all\n', '// '])
		assert.deepEqual(
			builtFrom(`${before}${before === '// ' ? '' : '# '}syntax=a.test/evil\nFROM x`).fetched,
			['docker-image://a.test/evil'],
			before,
		);
	assert.deepEqual(builtFrom('{"a": {}, "s\\u0079ntax": "a.test/evil"}').fetched, ['docker-image://a.test/evil']);
	assert.deepEqual(builtFrom('# a word\n# syntax=a.test/evil\nFROM x\n').fetched, [], 'behind a comment it is one');
});
