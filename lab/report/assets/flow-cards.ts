/**
 * The figures of a tier, shown beside its box in the flow picture while the box is pointed at, tapped or focused.
 */

/** A pointer may cross the gap between a box and its card in this time. */
const GRACE_MS = 150;
const DISTANCE_PX = 8;

export function startCards() {
	for (const stage of document.querySelectorAll('.flow-figure .stage') as NodeListOf<HTMLElement>) startStage(stage);
}

const BUTTON = { tabindex: '0', role: 'button', 'aria-expanded': 'false', 'aria-description': 'Shows its figures' };

function startStage(stage: HTMLElement) {
	let shown: SVGGElement | null = null;
	let timer: ReturnType<typeof setTimeout> | undefined;

	const hide = () => {
		clearTimeout(timer);
		if (!shown) return;
		shown.setAttribute('aria-expanded', 'false');
		cardOf(stage, shown)?.setAttribute('hidden', '');
		shown = null;
	};
	const show = (node: SVGGElement) => {
		clearTimeout(timer);
		if (shown === node) return;
		hide();
		const card = cardOf(stage, node);
		if (!card) return;
		card.hidden = false;
		node.setAttribute('aria-expanded', 'true');
		place(card, node, stage);
		shown = node;
	};

	const hideSoon = () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			// What the pointer leaves gives way to what the keyboard is at.
			const focused = focusedNode(stage);
			if (focused) show(focused);
			else hide();
		}, GRACE_MS);
	};

	for (const node of stage.querySelectorAll('g.node') as NodeListOf<SVGGElement>) {
		// Without this script it is a picture, and nothing to be pressed.
		for (const [name, value] of Object.entries(BUTTON)) node.setAttribute(name, value);
		node.addEventListener('pointerenter', () => show(node));
		node.addEventListener('pointerleave', hideSoon);
		node.addEventListener('focus', () => show(node));
		node.addEventListener('click', () => show(node));
	}
	for (const card of stage.querySelectorAll('.card') as NodeListOf<HTMLElement>) {
		// Text in the card can then be selected without the box losing it.
		card.tabIndex = -1;
		card.addEventListener('pointerenter', () => clearTimeout(timer));
		card.addEventListener('pointerleave', hideSoon);
	}
	stage.addEventListener('focusout', hideSoon);
	document.addEventListener('keydown', (event) => {
		if (event.key === 'Escape') hide();
	});
	document.addEventListener('pointerdown', (event) => {
		if (event.target instanceof Element && !event.target.closest('.card, g.node')) hide();
	});
}

const cardOf: (stage: HTMLElement, node: SVGGElement) => HTMLElement | undefined = (stage, node) =>
	[...(stage.querySelectorAll('.card') as NodeListOf<HTMLElement>)].find((card) => card.dataset.card === node.dataset.node);

/** The node that has the focus, or whose card has it. */
function focusedNode(stage: HTMLElement) {
	const { activeElement } = document;
	const nodes = stage.querySelectorAll('g.node') as NodeListOf<SVGGElement>;
	return [...nodes].find(
		(node) => node === activeElement || (node.getAttribute('aria-expanded') === 'true' && cardOf(stage, node)?.contains(activeElement)),
	);
}

/** Below the box, and inside the picture's width. */
function place(card: HTMLElement, node: SVGGElement, stage: HTMLElement): void {
	const frame = stage.getBoundingClientRect();
	const box = (node.querySelector('.box') ?? node).getBoundingClientRect();
	const centred = box.left + box.width / 2 - frame.left - card.offsetWidth / 2;
	card.style.left = `${Math.max(0, Math.min(centred, frame.width - card.offsetWidth))}px`;
	card.style.top = `${box.bottom - frame.top + DISTANCE_PX}px`;
}
