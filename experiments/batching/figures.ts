/**
 * What the ticket service leaves of itself: how large its batches were, and whether every ticket was sold once, within the
 * stock, to somebody who was told so. The checks are exact: one ticket too many is one too many.
 */

import type { Facts } from '../../lab/diagnose/ledger/facts.ts';
import type { ScenarioFigures } from '../../lab/diagnose/scenario-figures.ts';
import type { Ledger } from '../../lab/record/types.js';
import { ratio, sum } from '../../lab/stats/numbers.ts';
import { ticketSquare } from './k6/ticket-square.js';

const SOLD_OUT = 409;

/** @returns without checks when the tickets were not written down */
export function figuresOf(facts: Facts): ScenarioFigures {
	const own = Object.values(facts.nodes).map((node) => node.own);
	const batched = sum(own.map(({ batched }) => batched));
	const batches = sum(own.map(({ batches }) => batches));
	// As the database holds their numbers.
	const tickets = facts.raw.writtenLines?.map(Number) ?? null;
	return {
		figures: { batch_size_mean: ratio(batched, batches) },
		breakdowns: [],
		checks: tickets === null ? [] : [...checksOfStock(facts, tickets), ...checksOfAnswers(facts, tickets)],
	};
}

function checksOfStock(facts: Facts, tickets: number[]): Ledger['checks'] {
	const stock = Number(facts.raw.manifest.variables.STOCK);
	const distinct = new Set(tickets).size;
	// Tickets are numbered from 0.
	const within = tickets.filter((ticket) => ticket < stock).length;
	const checks = [
		exactly('no ticket was sold twice', tickets.length, distinct),
		exactly('no ticket was sold beyond the stock', tickets.length, within),
	];
	if ((facts.generator.status[SOLD_OUT] ?? 0) === 0) return checks;
	// A batch that failed had taken its tickets; they are sold to nobody.
	checks.push(between('exactly the stock was sold', distinct, stock, stock - unanswered(facts), stock));
	return checks;
}

function checksOfAnswers(facts: Facts, tickets: number[]): Ledger['checks'] {
	const { ok } = facts.generator;
	const open = unanswered(facts);
	const checks = [between('the tickets stored are the tickets answered, by count', tickets.length, ok, ok, ok + open)];
	const metrics = facts.raw.summary?.metrics;
	// Of a sale that may have been stored without an answer it is not known which ticket it would have been.
	if (!metrics || open > 0) return checks;
	const answered = (metric: string) => metrics[metric]?.values.count ?? 0;
	checks.push(
		exactly('the tickets stored are the tickets answered, by the sum of their numbers', sum(tickets), answered('lab_ticket_sum')),
		exactly(
			'the tickets stored are the tickets answered, by the sum of their squares modulo 1,000,003',
			sum(tickets.map(ticketSquare)),
			answered('lab_ticket_squares'),
		),
	);
	return checks;
}

/** Sales that ended without a ticket for the user and without the answer that none was left: each may have taken one. */
const unanswered = ({ generator }: Facts) => generator.failed - (generator.status[SOLD_OUT] ?? 0);

type Check = Ledger['checks'][number];

const exactly: (statement: string, left: number, right: number) => Check = (statement, left, right) => ({
	statement,
	left,
	right,
	holds: left === right,
	exact: true,
});

const between: (statement: string, left: number, right: number, least: number, most: number) => Check = (
	statement,
	left,
	right,
	least,
	most,
) => ({ statement, left, right, holds: left >= least && left <= most, exact: true });
