/** Whether the wire and the other records of a run count the same requests, where that bears on what the run says. */

import type { WireComparison } from '../../record/types.js';
import { doubtOf } from '../wire-compare.ts';
import { isTouched } from '../wire-gaps.ts';
import type { Doubt } from './grade.ts';
import type { ValidityInput } from './validity.ts';

/** Of the failed requests, that a record may lack without it bearing on where they are placed: as of any log (../ledger/facts.ts). */
const LOST_SHARE = 0.01;

/**
 * A count of which the difference has no explanation says that one of the two records lacks requests. What the generator sent are the
 * figures of the run. What others recorded says where failed requests were lost, and where none failed a log that leaves lines out is reported
 * beside the wire and moves no figure. On an edge whose packets were dropped or not recorded it is the wire that lacks them, which its own
 * section says; and times tell how late a program reads, and no record wrong.
 * @returns of the whole run
 */
export function wireApart({
	wire,
	facts: { generator },
}: Pick<ValidityInput, 'wire'> & { facts: { generator: { name: string; failed: number } } }): Doubt[] {
	if (!wire || wire.networks.length === 0) return [];
	const least = generator.failed > 0 ? generator.failed * LOST_SHARE : Number.POSITIVE_INFINITY;
	const bears = ({ from, what, left }: WireComparison) => (from === generator.name && what === `sent by ${from}`) || Math.abs(left) > least;
	const isComplete = ({ from, to }: WireComparison) =>
		!isTouched(wire.gaps ?? [], ['unseen', 'dropped', 'ended'], (edge) => isOf(edge, { from, to }, generator.name));
	const counted = (wire.compared ?? []).filter(
		(compared) => !compared.holds && compared.unit === 'requests' && bears(compared) && isComplete(compared),
	);
	// What both its ends count is one doubt.
	const first = counted.filter(({ from, to }, index) => counted.findIndex((one) => one.from === from && one.to === to) === index);
	return first.map((compared) => ({
		rule: `wire: ${compared.from} ${compared.to}`,
		grade: 'SUSPECT',
		reason: `the network capture and ${compared.source} do not agree: ${doubtOf(compared)}`,
	}));
}

/** A comparison may be of several askers, and of all generators as one. */
const isOf: (edge: { from: string; to: string }, compared: { from: string; to: string }, generator: string) => boolean = (
	edge,
	{ from, to },
	generator,
) => to.split(', ').includes(edge.to) && (from === generator || from.split(', ').includes(edge.from));
