/**
 * Joins what requests of kinds asked that were seen alone (alone.js): their calls by what their kind asks (chains.js).
 *
 * @typedef {import('./spans.js').Spans} Spans
 */

import { Chains } from './chains.js';
import { Exchanges } from './exchanges.js';
import { grouped } from './grouped.js';
import { BY_ORDER } from './rules.js';
import { neighboursOf } from './transactions.js';

/**
 * @param {Spans} spans
 * @param {object} about
 * @param {number[]} about.served
 * @param {number[]} about.made  all that requests may have asked
 * @param {(request: number, call: number) => boolean} about.isPassedOn
 * @param {(request: number) => import('./profile.js').Profile | undefined} about.profileOf  undefined where its kind is not known
 * @param {{ steps: number }} about.work
 * @param {import('./join-calls.js').Columns} joins  is changed
 * @returns {Set<number>} requests of which nothing more is to be looked for
 */
export function joinByKind(spans, { served, made, isPassedOn, profileOf, work }, joins) {
  const { parent, basis } = joins;
  const own = grouped(
    made.filter((call) => parent[call] >= 0),
    (call) => parent[call],
  );
  const chains = served.flatMap((request) => {
    const profile = profileOf(request);
    if (profile === undefined) return [];
    const { bad, end } = spans.calls[request];
    const to = Math.min(spans.worked[request], spans.length_s);
    const isFailed = bad || end !== 'answered';
    return [{ number: 0, request, profile, from: spans.began[request], to, isFailed, own: own.get(request) ?? [], links: [], bids: 0 }];
  });
  if (chains.length === 0) return new Set();
  for (const [number, chain] of chains.entries()) chain.number = number;
  const isJoined = (/** @type {number} */ call) => parent[call] >= 0;
  const dealt = new Chains(spans, chains, made, { neighbours: neighboursOf(spans, [made]), isJoined, isPassedOn, work });
  dealt.learn();
  dealt.deal(chains);
  const exchanges = new Exchanges(spans, dealt);
  exchanges.settle(made.filter((call) => !isJoined(call) && dealt.holder[call] === null));
  for (const { request, links } of chains)
    for (const { call } of links)
      if (call >= 0 && !isJoined(call)) [parent[call], basis[call], joins.ambiguous[call]] = [request, BY_ORDER, exchanges.ambiguous[call]];
  return new Set(chains.filter(isWhole).map(({ request }) => request));
}

/** It has all that its kind was seen to ask, or it failed, and may have less. @param {import('./chains.js').Chain} chain */
const isWhole = ({ links, isFailed }) => isFailed || (links.at(-1)?.step.seen ?? 0) > 0;
