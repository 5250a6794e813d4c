/**
 * The flow picture as SVG. Its two forms, wide and narrow, are both in the page; the style sheet shows the one that fits.
 *
 * @typedef {import('../../record/result.js').Flow} Flow
 * @typedef {import('./boxes.js').Box} Box
 * @typedef {import('./layout.js').Band} Band
 * @typedef {import('./layout.js').FlowLayout} FlowLayout
 */
import { html } from '../html.js';
import { tierColour, tierTitle } from '../tiers.js';
import { saysTierBesideName } from './boxes.js';
import { layoutNarrow, layoutWide } from './layout.js';
import { besideMark, passedMark } from './passed.js';
import { SIZES } from './text.js';

const EDGE = 2; // room for strokes and the focus ring
const ARROW = 5;

/** @param {Flow} flow */
export const flowDrawings = (flow) => html`${drawing('wide', layoutWide(flow))}${narrowDrawing(flow)}`;

/**
 * The narrow form alone, for a page that has several flows beside each other.
 * @param {Flow} flow
 * @param {string} [name] tells its parts from those of the page's other flows
 */
export const narrowDrawing = (flow, name = '') => drawing('narrow', layoutNarrow(flow), name);

/** @type {(form: 'wide' | 'narrow', layout: FlowLayout, name?: string) => import('../html.js').Html} */
function drawing(form, { width, height, boxes, bands }, name = '') {
  const hatch = `hatch-${form}${name && `-${name}`}`;
  return html`<svg class="flow ${form}" viewBox="${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${Math.ceil(height) + 2 * EDGE}" role="group" aria-label="Flow of the requests">
<defs><pattern id="${hatch}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="hatch-ground"/><rect width="2.5" height="6" class="hatch-line"/></pattern></defs>
${bands.map(bandShape)}
${boxes.map((box) => boxShape(box, hatch))}
${bands.map((band) => bandLabel(band, form))}
</svg>
`;
}

/** @param {Band} band */
const bandShape = ({ path, edge }) => html`<path class="band${edge.requests === null && ' unknown'}" d="${path}"/>`;

/** @type {(band: Band, form: 'wide' | 'narrow') => import('../html.js').Html} */
function bandLabel({ edge, share, labelX, labelY, anchor }, form) {
  const passed = passedMark(edge);
  const part = besideMark(edge, share);
  if (form === 'narrow')
    return html`<text class="passed" x="${labelX}" y="${labelY + 4}" text-anchor="${anchor}">${passed}${part && ` · ${part}`}</text>`;
  const first = part ? labelY - 3 : labelY + 4;
  return html`<text class="passed" x="${labelX}" y="${first}" text-anchor="${anchor}">${passed}${part && html`<tspan class="part" x="${labelX}" dy="14">${part}</tspan>`}</text>`;
}

/** @type {(box: Box, hatch: string) => import('../html.js').Html} */
function boxShape(box, hatch) {
  const { node, x, y, width, height, lines, outlets } = box;
  const first = (height - lines.length * SIZES.lineHeight) / 2 + SIZES.small;
  return html`<g class="node" data-node="${node.id}" transform="translate(${x} ${y})" tabindex="0" role="button" aria-expanded="false" aria-description="Shows its evidence" style="--c: var(${tierColour(node.tier)})">
<rect class="box" width="${width}" height="${height}" rx="3"/><rect class="tier" width="5" height="${height}"/>
${lines.map(({ text, role }, index) => html`<text class="${role}" x="${SIZES.padding + 3}" y="${first + index * SIZES.lineHeight}">${text}${role === 'name' && tierBesideName(box)}</text>`)}
${outlets.length > 0 && outletShapes(box, hatch)}
</g>
`;
}

/** @param {Box} box */
const tierBesideName = (box) => saysTierBesideName(box) && html` <tspan class="tier" dx="3">${tierTitle(box.node.tier)}</tspan>`;

/** @type {(box: Box, hatch: string) => import('../html.js').Html} */
function outletShapes({ outlets, height }, hatch) {
  const shapes = outlets.map(({ left, thickness, depth, textX, textY, figures, cause, isOneLine }) => {
    const right = left + thickness;
    const neck = depth - ARROW;
    const arrow = `M${left},0V${neck}H${left - ARROW / 2}L${(left + right) / 2},${depth + ARROW / 2}L${right + ARROW / 2},${neck}H${right}V0Z`;
    const nextLine = html`x="${textX}" dy="${SIZES.lineHeight}"`;
    const lines = [
      ...figures.map((line, index) => html`<tspan class="lost-count"${index > 0 && html` ${nextLine}`}>${line}</tspan> `),
      ...cause.map((line) => html`<tspan ${isOneLine ? html`dx="8"` : nextLine}>${line}</tspan> `),
    ];
    return html`<path class="lost" d="${arrow}" fill="url(#${hatch})"/><text class="lost" x="${textX}" y="${textY}">${lines}</text>`;
  });
  return html`<g class="outlets" transform="translate(0 ${height})">${shapes}</g>`;
}
