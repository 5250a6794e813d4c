/**
 * What a record says now, beside what it said: which failed requests are placed elsewhere, and which other fields differ. Pure.
 *
 * @typedef {{ result: any, placed?: import('./placed.js').PlacedRequest[] }} Shown  placed: each failed request, where that is stored
 *
 * @typedef {object} Replayed
 * @property {string} record
 * @property {'same' | 'moved' | 'unread' | 'failed'} outcome  unread: an earlier version wrote it, or it is not whole; failed: the analysis did
 * @property {string} [reason]   of one that is unread or failed
 * @property {import('./moves.js').Move[]} [moves]    of one that moved
 * @property {import('./request-moves.js').RequestMove[]} [requests]  of a frozen one that moved
 * @property {string[]} [fields] of one that moved, all that differ
 * @property {{ before: string, now: string }} [headline]  of one that moved, where it has another
 */
import { fieldsThatDiffer, movesOf, placedRows } from './moves.js';
import { requestMoves } from './request-moves.js';

/** @param {string} record @param {Shown} before @param {Shown} now @returns {Replayed} */
export function differenceOf(record, before, now) {
  const requests = before.placed && now.placed ? requestMoves(before.placed, now.placed) : [];
  const fields = fieldsThatDiffer(before.result, now.result);
  if (requests.length === 0 && fields.length === 0) return { record, outcome: 'same' };
  const moves = movesOf(placedRows(before.result), placedRows(now.result));
  const headline = { before: String(before.result.headline), now: now.result.headline };
  return { record, outcome: 'moved', moves, requests, fields, ...(headline.before === headline.now ? {} : { headline }) };
}
