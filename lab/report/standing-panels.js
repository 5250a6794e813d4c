/**
 * The panels of where requests stood, and of the answers under it on the same axis.
 *
 * @typedef {import('../record/result.js').WireStanding} WireStanding
 * @typedef {import('./panels.js').Panel} Panel
 * @typedef {import('./panels.js').Drawn} Drawn
 * @typedef {Pick<WireStanding, 'step_s' | 'from_s' | 'services' | 'edges' | 'good' | 'failed' | 'marks'>} DrawnStanding
 */
import { count, figure, MISSING } from './format.js';
import { panelSeries } from './panels.js';
import { tierColour } from './tiers.js';

/** Of a request: a service with less was never seen. */
const SEEN_LEAST = 0.05;
/** Services of one tier share its colour, and are told apart by so many shades of it (assets/base.css). */
const SHADES = 4;

/** @param {Pick<Drawn, 'standing' | 'resources'>} drawn @returns {Panel[]} none where nothing was recorded */
export function standingPanels({ standing, resources }) {
  if (!standing) return [];
  const { step_s: step, from_s: from, services, good, failed, marks } = standing;
  // A step is told at its end, as a second is; what is drawn begins at the first one's begin.
  const t_s = [from, ...good.map((_, at) => from + (at + 1) * step)];
  const common = { t_s, logarithmic: false, reference: null, marksStages: false, isStepped: true };
  const shadeOf = shades();
  const series = (/** @type {string} */ label, /** @type {string} */ colour, /** @type {number[]} */ values, rest = {}) => ({
    ...panelSeries({ label, colour, values: [values[0], ...values], kind: 'area', ...rest }, figure),
    amounts: [null, ...values],
    text: (/** @type {number} */ index) => (index === 0 ? MISSING : figure(values[index - 1])),
  });
  const seen = services.filter(({ standing: values }) => values.some((value) => value >= SEEN_LEAST));
  const shown = seen.length > 0 ? seen : services.slice(0, 1);
  return [
    {
      ...common,
      id: 'standing',
      title: 'Requests standing',
      caption: `In each service, less those for which it waited on others; the entry below, what it asks above it. Means over ${figure(step)} s.`,
      series: shown.map(({ name, standing: values }) =>
        series(name, shadeOf(resources[name]?.tier ?? 'unattributed'), values, { isSolid: true }),
      ),
      tick: figure,
      height: 250,
      marks,
      namesAreas: true,
    },
    {
      ...common,
      id: 'standing-answers',
      title: 'Answers',
      caption: `What users got in each ${figure(step)} s.`,
      series: [
        series('good', '--calm', good, { isSolid: true }),
        ...(failed.some((value) => value > 0) ? [series('failed', '--loss', failed, { hatched: true })] : []),
      ],
      tick: count,
      height: 112,
      marks: marks.map((mark) => ({ ...mark, text: '' })),
    },
  ];
}

/** @returns {(tier: string) => string} the variable of the tier's next shade */
function shades() {
  /** @type {Record<string, number>} */
  const used = {};
  return (tier) => {
    const shade = (used[tier] ?? 0) % SHADES;
    used[tier] = shade + 1;
    return shade === 0 ? tierColour(tier) : `${tierColour(tier)}-${shade + 1}`;
  };
}
