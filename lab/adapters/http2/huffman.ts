/**
 * The code in which HPACK packs texts. https://www.rfc-editor.org/rfc/rfc7541#appendix-B
 *
 * It is canonical: of codes of one length the numbers rise with the symbols, so that the lengths say all.
 */

/** Of the symbols 0 to 255 and of the end, as letters: A is 5 bits. */
const LENGTHS =
	'ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHFIBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJI' +
	'XPRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRSVVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ';
const SHORTEST = 5;
const END = 256;

/**
 * All codes as a tree: two numbers for each of its forks, by the next bit. Positive: the fork that follows; negative: a symbol less one;
 * zero: no code.
 */
const tree: number[] = [0, 0];
const ordered = Array.from(LENGTHS, (letter, symbol) => ({ symbol, length: letter.charCodeAt(0) - 65 + SHORTEST })).sort(
	(one, other) => one.length - other.length || one.symbol - other.symbol,
);
let next = 0;
let before = SHORTEST;
for (const { symbol, length } of ordered) {
	next *= 2 ** (length - before);
	before = length;
	plant(next, length, symbol);
	next += 1;
}
const forks = Int16Array.from(tree);

function plant(code: number, length: number, symbol: number) {
	let at = 0;
	for (let bit = length - 1; bit >= 0; bit -= 1) {
		const turn = at + (Math.floor(code / 2 ** bit) % 2);
		if (bit === 0) tree[turn] = -symbol - 1;
		else if (tree[turn] === 0) tree[turn] = tree.push(0, 0) - 2;
		at = tree[turn];
	}
}

/** @returns null: it is none */
export function unpack(bytes: Buffer): string | null {
	// The shortest code has five bits.
	const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / SHORTEST));
	let size = 0;
	let at = 0;
	let length = 0;
	let isPadding = true;
	for (const byte of bytes)
		for (let bit = 7; bit >= 0; bit -= 1) {
			const turn = (byte >> bit) & 1;
			at = forks[at + turn];
			length += 1;
			isPadding &&= turn === 1;
			if (at > 0) continue;
			const symbol = -at - 1;
			if (symbol === END || at === 0) return null;
			text[size] = symbol;
			size += 1;
			at = 0;
			length = 0;
			isPadding = true;
		}
	// What is left fills the last byte with ones.
	return length < 8 && isPadding ? text.toString('latin1', 0, size) : null;
}
