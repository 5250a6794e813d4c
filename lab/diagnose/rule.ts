/**
 * A rule of the diagnosis: a question about a failed request, or about what it waited for. It names the facts that it reads and gets no others,
 * so that whoever changes a fact knows whom it concerns. rules.ts has all of them in their order.
 *
 * @typedef {object} Rule
 * @property {string} of              what it is asked of: rules of one subject are asked in their order, and the first that has an answer gives it
 * @property {string} id
 * @property {readonly string[]} says   causes that it may name by itself
 * @property {readonly string[]} facts  that it reads; `readings.use` is one of its `readings`
 * @property {readonly string[]} asks   subjects whose rules it asks
 * @property {(target: any, facts: any, ask: any) => any} apply  an answer, or null
 *
 * @typedef {Rule & { before: string }} Row  before: why it stands before those that follow
 */

const ALL = Symbol('all facts');

/** @param {Pick<Rule, 'id' | 'facts'>} rule @returns {(facts: object) => object} what the rule gets of them */
function viewOf({ id, facts: names }) {
	const others = new Proxy(
		{},
		{
			get(_, name) {
				throw new Error(`the rule ${id} reads ${String(name)}, which it does not declare`);
			},
		},
	);
	const declared = Object.create(others);
	// Read when they are asked for: some are costly to make.
	for (const name of new Set(names.map((full) => full.split('.')[0]))) {
		const parts = names.filter((full) => full.startsWith(`${name}.`)).map((full) => full.slice(name.length + 1));
		const part = parts.length === 0 ? null : viewOf({ id, facts: parts });
		Object.defineProperty(declared, name, {
			get() {
				const value = this[ALL][name];
				return part === null ? value : part(value);
			},
		});
	}
	return (facts) => Object.create(declared, { [ALL]: { value: facts } });
}

/** @type {WeakMap<Rule, ReturnType<typeof viewOf>>} */
const views = new WeakMap();

/** @param {Rule} rule @param {object} facts */
function viewFor(rule, facts) {
	const view = views.get(rule) ?? viewOf(rule);
	views.set(rule, view);
	return view(facts);
}

/**
 * @param {Rule[]} rules   in their order
 * @param {object} facts  all of them
 * @returns {Record<string, (target: any) => any>} by what they are asked of: the first answer, or null
 */
export function asksOf(rules, facts) {
	/** @type {Record<string, (target: any) => any>} */
	const asks = {};
	for (const of of new Set(rules.map((rule) => rule.of))) {
		const own = rules
			.filter((rule) => rule.of === of)
			.map((rule) => ({
				rule,
				view: viewFor(rule, facts),
				// Those may ask each other.
				ask: Object.fromEntries(rule.asks.map((name) => [name, (/** @type {any} */ target) => asks[name](target)])),
			}));
		asks[of] = (target) => {
			for (const { rule, view, ask } of own) {
				const answer = rule.apply(target, view, ask);
				if (answer !== null) return answer;
			}
			return null;
		};
	}
	return asks;
}

/**
 * @template {Rule} R
 * @param {R[]} rules
 * @param {object} facts  all of them
 * @returns {{ rule: R, answer: any }[]} of each rule that has one
 */
export const answersOf = (rules, facts) =>
	rules.flatMap((rule) => {
		const answer = rule.apply(null, viewFor(rule, facts), {});
		return answer === null ? [] : [{ rule, answer }];
	});
