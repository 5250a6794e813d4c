/** The page's colours for the canvas, which knows no CSS variables. */
export type Paint = {
	colour: (variable: string, percent?: number) => string;
	hatch: (context: CanvasRenderingContext2D, variable: string) => CanvasPattern | string;
};

const HATCH_TILE = 8; // CSS pixels; a whole number of lines, so that tiles join
const HATCH_LINE = 2;

/** An element whose computed colour is a variable's value, whatever expression it holds. */
const probe = document.createElement('span');
probe.hidden = true;

/** Reads colours as they are now; after a change of theme they have to be read again. */
export function readPaint(): Paint {
	document.body.append(probe);
	const style = getComputedStyle(probe);
	const known: Map<string, string> = new Map();

	const colour = (variable: string, percent = 100) => {
		const expression = percent === 100 ? `var(${variable})` : `color-mix(in srgb, var(${variable}) ${percent}%, transparent)`;
		const found = known.get(expression);
		if (found !== undefined) return found;
		probe.style.color = expression;
		const value = style.color;
		known.set(expression, value);
		return value;
	};
	const hatch = (context: CanvasRenderingContext2D, variable: string) => {
		const tile = hatchTile(colour(variable), colour(variable, 25));
		return (tile && context.createPattern(tile, 'repeat')) ?? colour(variable, 60);
	};
	return { colour, hatch };
}

/** Diagonal lines on a light ground. */
function hatchTile(line: string, ground: string): HTMLCanvasElement | null {
	const size = Math.round(HATCH_TILE * devicePixelRatio);
	const tile = document.createElement('canvas');
	tile.width = size;
	tile.height = size;
	const context = tile.getContext('2d');
	if (!context) return null;
	context.fillStyle = ground;
	context.fillRect(0, 0, size, size);
	context.strokeStyle = line;
	context.lineWidth = HATCH_LINE * devicePixelRatio;
	context.beginPath();
	// The outer two are the corners of the neighbouring tiles' lines.
	for (const shift of [-size, 0, size]) {
		context.moveTo(shift - 1, size + 1);
		context.lineTo(shift + size + 1, -1);
	}
	context.stroke();
	return tile;
}
