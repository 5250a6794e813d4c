/** Words of comparisons as the field says them: records that were judged earlier have the lab's own, and keep them. */

/** Only where nothing that a user named can stand. */
const WORDS: [RegExp, string][] = [
	[/\bwithin the deltas of all\b/g, 'within the differences that matter, on all'],
	[/(?<=\d |\b(?:of its|all|within) )blocks\b/g, 'repetitions'],
	[/(?<=\d |\b(?:in every|in each|after each|within a) )block\b(?! \d)/g, 'repetition'],
	[/\bwithin block (?=\d)/g, 'within repetition '],
	[/(?<=\bthe \d |\bThe )gates\b/g, 'checks'],
	[/\bminimum delta\b/g, 'minimum difference'],
	[/\band neither fails any\b/g, 'and neither has a failure'],
];

/** What the lab wrote itself. Commands, names and titles stay as they are. */
const SAID: ReadonlySet<string> = new Set([
	...['sentence', 'reasons', 'headline', 'quote', 'correction', 'delta_from', 'held_back', 'notes', 'text', 'changed', 'why'],
	...['test', 'delta', 'remarks'],
]);

const worded = (text: string) => WORDS.reduce((all, [word, of]) => all.replace(word, of), text);

/** @returns the same record, with the field's words in its sentences */
export const inFieldWords = <T>(record: T): T => inWords(record, false) as T;

function inWords(value: unknown, isSaid: boolean): unknown {
	if (typeof value === 'string') return isSaid ? worded(value) : value;
	if (Array.isArray(value)) return value.map((item) => inWords(item, isSaid));
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inWords(item, SAID.has(key))]));
}
