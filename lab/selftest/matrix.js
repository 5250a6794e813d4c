/**
 * The confusion matrix of the self-test, as Markdown: a row for each fault that was put in, a column for each diagnosis.
 */

/** @typedef {{ id: string, title: string, expected: { tier: string, cause: string }, found: { tier: string, cause: string }, right: boolean, failures: number, requests: number, unattributed: number }} Verdict */

const label = (/** @type {{ tier: string, cause: string }} */ { tier, cause }) => (tier === cause ? tier : `${tier}: ${cause}`);

/** @param {Verdict[]} verdicts */
export function formatMatrix(verdicts) {
  const columns = [...new Set(verdicts.map(({ found }) => label(found)))];
  const header = ['fault put in', 'expected', ...columns];
  const rows = verdicts.map(({ title, expected, found, right }) => [
    title,
    label(expected),
    ...columns.map((column) => (column === label(found) ? (right ? '✓' : '✗') : '')),
  ]);
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
