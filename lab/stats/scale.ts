/**
 * The scales on which figures are compared. A ratio is a difference of logarithms: halved and doubled are then equally far from
 * the same, and a noise that is a share of the figure is symmetric.
 */

type Scale = {
	/** null: the figure cannot be compared on this scale */
	into: (value: number | null) => number | null;
	/** from a difference to what is shown */
	back: (value: number | null) => number | null;
};

const scales: Record<'ratio' | 'difference', Scale> = {
	ratio: {
		into: (value) => (value !== null && Number.isFinite(value) && value > 0 ? Math.log(value) : null),
		back: (value) => (value === null ? null : Math.exp(value)),
	},
	difference: {
		into: (value) => (value !== null && Number.isFinite(value) ? value : null),
		back: (value) => value,
	},
};

export const scaleOf = (scale: 'ratio' | 'difference') => scales[scale];
