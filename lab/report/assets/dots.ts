/**
 * Draws every run as a dot. The one that is pointed at, tapped or focused in one picture is named in all of them, each with its own value and a link to
 * its report.
 */

import { type DrawnComparison, dotStrips } from '../compare/arms.ts';

/** CSS pixels; further away than this from any dot, nothing is meant. */
const REACH = 40;

type Strip = { svg: SVGSVGElement; readout: Element | null; dots: SVGElement[] };

export function startDots(comparison: DrawnComparison) {
	const place = document.querySelector('.strips');
	// What came from outside is escaped in it.
	if (place) place.innerHTML = String(dotStrips(comparison));
	const strips = [...document.querySelectorAll('.dot-strip')].flatMap((strip) => {
		const svg = strip.querySelector('svg');
		return svg
			? [
					{
						svg,
						readout: strip.querySelector('.readout'),
						dots: [...(svg.querySelectorAll('.dot') as NodeListOf<SVGElement>)],
					},
				]
			: [];
	});
	let shown: string | undefined;
	const show = (dot: SVGElement) => {
		if (dot.dataset.run === shown) return;
		shown = dot.dataset.run;
		for (const strip of strips) name(strip, shown);
	};
	for (const strip of strips) {
		strip.svg.addEventListener('pointermove', (event) => pointed(strip, event, show));
		strip.svg.addEventListener('pointerdown', (event) => pointed(strip, event, show));
		strip.svg.addEventListener('keydown', (event) => moveFocus(strip, event));
		for (const dot of strip.dots) {
			dot.addEventListener('focus', () => show(dot));
			// A finger is meant to see what it touches; the link in words is beside the picture.
			dot.addEventListener('click', (event) => {
				if (event instanceof PointerEvent && event.pointerType === 'touch') event.preventDefault();
			});
		}
	}
}

function pointed({ dots }: Strip, event: PointerEvent, show: (dot: SVGElement) => void): void {
	const distances = dots.map((dot) => {
		const box = (dot.querySelector('.mark') ?? dot).getBoundingClientRect();
		return Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
	});
	const nearest = Math.min(...distances);
	if (nearest <= REACH) show(dots[distances.indexOf(nearest)]);
}

function name({ readout, dots }: Strip, run: string | undefined): void {
	for (const dot of dots) dot.classList.toggle('on', dot.dataset.run === run);
	const dot = dots.find((one) => one.dataset.run === run);
	const text = dot?.dataset.text ?? '';
	const href = dot?.getAttribute('href');
	if (!href) {
		readout?.replaceChildren(text);
		return;
	}
	const link = document.createElement('a');
	link.textContent = text;
	link.href = href;
	readout?.replaceChildren(link);
}

/** One dot of a picture is in the order of the page; arrow keys lead to the others. */
function moveFocus({ dots }: Strip, event: KeyboardEvent): void {
	const now = dots.findIndex((dot) => dot.matches(':focus'));
	const steps = {
		ArrowRight: now + 1,
		ArrowDown: now + 1,
		ArrowLeft: now - 1,
		ArrowUp: now - 1,
		Home: 0,
		End: dots.length - 1,
	} as Record<string, number>;
	const next = dots[Math.max(0, Math.min(dots.length - 1, steps[event.key]))];
	if (now < 0 || !next) return;
	event.preventDefault();
	dots[now].tabIndex = -1;
	next.tabIndex = 0;
	next.focus();
}
