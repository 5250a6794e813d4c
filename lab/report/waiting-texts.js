/**
 * How much of what failed was followed, in sentences, for the page and for Markdown.
 */
import { count } from './format.js';

/** @param {Pick<import('../record/result.js').Result, 'waiting'>} result @returns {string[]} none where nothing failed on the wire, or nothing was recorded */
export const followedNotes = ({ waiting }) =>
  waiting && waiting.failed > 0
    ? [
        `${count(waiting.followed)} of ${count(waiting.failed)} failed requests were followed on the wire, from the entry to the service that waited for nobody, with the good requests beside them.`,
        ...waiting.doubts.map((doubt) => `Doubt: ${doubt}.`),
      ]
    : [];
