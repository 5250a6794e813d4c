import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TemplateBook } from './record.js';

test('each template has one number, under which it is found', () => {
  const book = new TemplateBook();
  assert.deepEqual(
    ['/a', 'SELECT users', '/a', ''].map((template) => book.numberOf(template)),
    [0, 1, 0, 2],
  );
  assert.deepEqual(book.texts(), ['/a', 'SELECT users', '']);
});

test('where many words follow one beginning they are values, and none of them is kept', () => {
  const book = new TemplateBook();
  const names = Array.from({ length: 41 }, (_, index) => `name${String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))}`);
  for (const name of names) book.numberOf(`/users/${name}/orders/:n`);
  for (const name of names.slice(0, 40)) book.numberOf(`/routes/${name}`);
  const number = book.numberOf('/users/:n');
  const texts = book.texts();
  assert.deepEqual(new Set(texts.slice(0, 41)), new Set(['/users/:word/orders/:n']));
  assert.equal(texts[41], `/routes/${names[0]}`);
  assert.equal(texts[number], '/users/:n');
});

test('the number of templates is bounded', () => {
  const book = new TemplateBook();
  for (let index = 0; index < 20_100; index += 1) book.numberOf(`SELECT t${index}`);
  const number = book.numberOf('SELECT one_more');
  assert.deepEqual([number, book.texts()[number], book.texts().length], [20_000, '…', 20_001]);
});
