/**
 * What lines of memcached's text protocol say, with its meta commands. https://github.com/memcached/memcached/blob/master/doc/protocol.txt
 *
 * @typedef {object} Question
 * @property {string} verb            empty where it is not known
 * @property {number} value           bytes that follow the line, with their line break
 * @property {'no' | 'errors' | 'yes'} answers  errors: those alone, as `noreply` asks for; no: by its protocol
 * @property {string[] | null} quiet  words of answers that are given; others are left out. null: there is an answer in any case
 * @property {number | null} mark     a number of what an answer repeats of it
 */

/** Behind the key: flags, time, size. */
const STORES = new Set('set add replace append prepend cas'.split(' '));
const META = new Set('mg ms md ma mn me'.split(' '));
const VERBS = new Set([
  ...STORES,
  ...META,
  ...'get gets gat gats delete incr decr touch stats version verbosity flush_all cache_memlimit slabs lru lru_crawler watch shutdown quit config'.split(
    ' ',
  ),
]);
const BREAK = 2;
const SIZE = /^\d{1,10}$/;

/** @param {string} line  as far as it was recorded @returns {Question} */
export function readQuestion(line) {
  const words = line.split(' ', WORDS_MOST);
  const verb = VERBS.has(words[0]) ? words[0] : '';
  const answers = verb === 'quit' ? 'no' : line.endsWith(' noreply') ? 'errors' : 'yes';
  return {
    verb,
    value: sizeOf(verb, words),
    answers,
    quiet: words.indexOf('q', 2) > 0 ? givenTo(verb, words) : null,
    mark: META.has(verb) ? markOf(words, words[1]) : null,
  };
}

/** Of the opaque that a client gave, or of the key where it is asked for. @param {string[]} words @param {string} [key] @returns {number | null} */
function markOf(words, key) {
  const opaque = words.find((word, index) => index > 0 && word[0] === 'O');
  const named = words.find((word, index) => index > 0 && (key === undefined ? word[0] === 'k' : word === 'k' && index > 1));
  const text = opaque ?? (named && `k${key ?? named.slice(1)}`);
  if (text === undefined) return null;
  let mark = 0;
  for (let at = 0; at < text.length; at += 1) mark = (Math.imul(mark, 31) + text.charCodeAt(at)) | 0;
  return mark;
}

/** Of a line that asks for many keys the others say nothing. */
const WORDS_MOST = 24;

/** @param {string} verb @param {string[]} words */
function sizeOf(verb, words) {
  const size = STORES.has(verb) ? words[4] : verb === 'ms' ? words[2]?.replace(/^S/, '') : undefined;
  return size !== undefined && SIZE.test(size) ? Number(size) + BREAK : 0;
}

/** Words that an answer begins with, and where the line goes on with more of it, how: to the next `END`, or to the end of its value. @type {Record<string, { goesOn?: boolean, size?: number, code?: string }>} */
const ANSWERS = {
  ...Object.fromEntries('STORED DELETED TOUCHED OK RESET END VERSION HD EN MN ME BLOCKED'.split(' ').map((word) => [word, {}])),
  ...Object.fromEntries('STAT ITEM PREFIX'.split(' ').map((word) => [word, { goesOn: true }])),
  ...Object.fromEntries('NOT_STORED EXISTS NOT_FOUND ERROR CLIENT_ERROR SERVER_ERROR'.split(' ').map((code) => [code, { code }])),
  VALUE: { goesOn: true, size: 3 },
  CONFIG: { goesOn: true, size: 3 },
  VA: { size: 1 },
  NS: { code: 'NOT_STORED' },
  EX: { code: 'EXISTS' },
  NF: { code: 'NOT_FOUND' },
};

/**
 * @param {string} line
 * @returns {{ word: string, value: number, goesOn: boolean, mark: number | null, code: string | null, bad: boolean } | null} null: it is no answer
 */
export function readAnswer(line) {
  const words = line.split(' ', WORDS_MOST);
  const [word] = words;
  const answer = Object.hasOwn(ANSWERS, word) ? ANSWERS[word] : /^\d{1,20}$/.test(word) ? {} : undefined;
  if (!answer) return null;
  const size = answer.size === undefined ? '' : (words[answer.size] ?? '');
  if (answer.size !== undefined && !SIZE.test(size)) return null;
  const mark = OF_META.has(word) ? markOf(words) : null;
  return {
    word,
    value: size === '' ? 0 : Number(size) + BREAK,
    goesOn: answer.goesOn ?? false,
    mark,
    ...errorOf(answer.code ?? null, line),
  };
}

/** The only words to whom it turns away. */
export const TURNED_AWAY = 'ERROR Too many open connections';

/** What the server could not is bad; what the question asked wrongly, or what is so already, is not. @param {string | null} code @param {string} line */
function errorOf(code, line) {
  if (line.startsWith(TURNED_AWAY)) return { code: 'MAXCONNS', bad: true };
  if (line.startsWith('SERVER_ERROR out of memory')) return { code: 'SERVER_ERROR out of memory', bad: true };
  if (line.startsWith('SERVER_ERROR object too large')) return { code: 'SERVER_ERROR object too large', bad: false };
  return { code, bad: code === 'SERVER_ERROR' };
}

const OF_META = new Set('VA HD EN NS EX NF'.split(' '));

/** What a quiet question may be answered, errors aside. @param {string} verb @param {string[]} words @returns {string[] | null} */
function givenTo(verb, words) {
  // Only where it names the version that it wants to change.
  if (verb === 'ms') return words.some((word, index) => index > 2 && /^C\d/.test(word)) ? ['NS', 'EX', 'NF'] : ['NS'];
  return { mg: ['VA', 'HD', 'ME'], md: ['EX', 'NF', 'NS'], ma: ['VA', 'EX', 'NF', 'NS'] }[verb] ?? null;
}

const KEY = '[^\\x00-\\x20\\x7f]{1,250}';
/** Nothing else speaks so: redis-cli's and beanstalkd's lines of one or two words are like memcached's. */
const OWN = new RegExp(
  `^(?:(?:set|add|replace|append|prepend|cas) ${KEY} \\d{1,10} -?\\d{1,10} \\d{1,10}(?: \\d{1,20})?(?: noreply)? ?` +
    `|ms ${KEY} S?\\d{1,10}(?: \\S+)* ?|(?:mg|md|ma) ${KEY}(?: [A-Za-z]\\S*)* ?|me ${KEY}(?: b)?|mn|gets(?: ${KEY})+ ?|gats? -?\\d{1,10}(?: ${KEY})+ ?)\\r?\\n`,
);
/** And these do so where the server answers as memcached does. */
const ASKS = new RegExp(`^(?:get ${KEY}[ \\r\\n]|version\\r?\\n|stats(?: [a-z]+)*\\r?\\n|(?:incr|decr) ${KEY} \\d{1,20}\\r?\\n)`);
const ANSWERED = new RegExp(`^(?:VALUE ${KEY} \\d{1,10} \\d{1,10}[ \\r]|END\\r\\n|VERSION \\d+\\.\\d|STAT [a-z_:.\\d]+ )`);

/** Whether a connection begins so. @param {Buffer} client @param {Buffer} server @returns {import('../../wire/contract.js').Verdict} */
export function beginsText(client, server) {
  if (client.length === 0) {
    const said = server.toString('latin1', 0, TURNED_AWAY.length);
    return TURNED_AWAY.startsWith(said) ? (said.length < TURNED_AWAY.length ? 'more' : 'yes') : 'no';
  }
  // So begins every command.
  if (client[0] < LETTERS.first || client[0] > LETTERS.last) return 'no';
  const text = client.toString('latin1');
  if (OWN.test(text)) return 'yes';
  const said = server.toString('latin1');
  if (ASKS.test(text) && ANSWERED.test(said)) return 'yes';
  const isLine = /^[a-z][a-z_]*(?: [\x20-\x7e\x80-\xff]*)?\r?(?:\n|$)/.test(text);
  const [verb] = text.split(/[ \r\n]/, 1);
  const isKnown = verb.length === text.length ? [...VERBS].some((known) => known.startsWith(verb)) : VERBS.has(verb);
  return isLine && isKnown && !REFUTED.test(said) ? 'more' : 'no';
}
const LETTERS = { first: 0x61, last: 0x7a };
/** Answers of Redis, of mail servers and of web servers. */
const REFUTED = /^(?:[-+:$*]|\d{3}[ -]|HTTP\/)/;
