/**
 * A rule of the diagnosis: a question about a failed request, or about what it waited for. It names the facts that it reads and gets no others,
 * so that whoever changes a fact knows whom it concerns. rules.ts has all of them in their order.
 */
export type Rule = {
	/** what it is asked of: rules of one subject are asked in their order, and the first that has an answer gives it */
	of: string;
	id: string;
	/** causes that it may name by itself */
	says: readonly string[];
	/** that it reads; `readings.use` is one of its `readings` */
	facts: readonly string[];
	/** subjects whose rules it asks */
	asks: readonly string[];
	/** an answer, or null */
	apply: (target: any, facts: any, ask: any) => any;
};

/** before: why it stands before those that follow */
export type Row = Rule & { before: string };

const ALL = Symbol('all facts');

/** @returns what the rule gets of them */
function viewOf({ id, facts: names }: Pick<Rule, 'id' | 'facts'>): (facts: object) => object {
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

const views: WeakMap<Rule, ReturnType<typeof viewOf>> = new WeakMap();

function viewFor(rule: Rule, facts: object) {
	const view = views.get(rule) ?? viewOf(rule);
	views.set(rule, view);
	return view(facts);
}

/**
 * @param rules in their order
 * @param facts all of them
 * @returns by what they are asked of: the first answer, or null
 */
export function asksOf(rules: Rule[], facts: object): Record<string, (target: any) => any> {
	const asks: Record<string, (target: any) => any> = {};
	for (const of of new Set(rules.map((rule) => rule.of))) {
		const own = rules
			.filter((rule) => rule.of === of)
			.map((rule) => ({
				rule,
				view: viewFor(rule, facts),
				// Those may ask each other.
				ask: Object.fromEntries(rule.asks.map((name) => [name, (target: any) => asks[name](target)])),
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
 * @param facts all of them
 * @returns of each rule that has one
 */
export const answersOf = <R extends Rule>(rules: R[], facts: object): { rule: R; answer: any }[] =>
	rules.flatMap((rule) => {
		const answer = rule.apply(null, viewFor(rule, facts), {});
		return answer === null ? [] : [{ rule, answer }];
	});
