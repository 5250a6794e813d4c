/**
 * The scales on which figures are compared. A ratio is a difference of logarithms: halved and doubled are then equally far from
 * the same, and a noise that is a share of the figure is symmetric.
 */

/**
 * @typedef {object} Scale
 * @property {(value: number | null) => number | null} into  null: the figure cannot be compared on this scale
 * @property {(value: number | null) => number | null} back  from a difference to what is shown
 */

/** @type {Record<'ratio' | 'difference', Scale>} */
const scales = {
  ratio: {
    into: (value) => (value !== null && Number.isFinite(value) && value > 0 ? Math.log(value) : null),
    back: (value) => (value === null ? null : Math.exp(value)),
  },
  difference: {
    into: (value) => (value !== null && Number.isFinite(value) ? value : null),
    back: (value) => value,
  },
};

/** @param {'ratio' | 'difference'} scale */
export const scaleOf = (scale) => scales[scale];
