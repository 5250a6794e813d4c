/**
 * Keeps the labels of bands apart: one that would stand on another moves along its band, or a line up or down. Pure geometry.
 *
 * @typedef {import('./layout.js').Band} Band
 * @typedef {Band & { elsewhere: { x: number, y: number }[] }} Movable  elsewhere: where its label may stand too, the best first
 */
import { besideMark, passedMark } from './passed.js';
import { SIZES, textWidth } from './text.js';

/** Of bold letters beside others. */
const BOLD = 1.12;
/** From one label to the next. */
const BETWEEN = 4;

/**
 * @param {Movable[]} bands
 * @param {boolean} isWide  with the second part of a label below the first
 * @returns {Band[]}
 */
export function labelsApart(bands, isWide) {
  /** @type {Rectangle[]} */
  const taken = [];
  return bands.map(({ elsewhere, ...band }) => {
    const places = [{ x: band.labelX, y: band.labelY }, ...elsewhere];
    const sized = places.map((place) => ({ place, own: rectangleOf(band, place, isWide) }));
    // Where nothing is free the best place is as good as any.
    const { place, own } = sized.find((one) => !taken.some((other) => covers(one.own, other))) ?? sized[0];
    taken.push(own);
    return { ...band, labelX: place.x, labelY: place.y };
  });
}

/** @typedef {{ left: number, right: number, top: number, bottom: number }} Rectangle */

/** @type {(band: Band, place: { x: number, y: number }, isWide: boolean) => Rectangle} */
export function rectangleOf({ edge, share, anchor }, { x, y }, isWide) {
  const parts = [passedMark(edge), besideMark(edge, share)].filter(Boolean);
  const lines = isWide ? parts : [parts.join(' · ')];
  const width = Math.max(...lines.map((line) => textWidth(line, SIZES.small) * BOLD));
  const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
  const half = (lines.length * SIZES.lineHeight) / 2;
  return { left, right: left + width, top: y - half, bottom: y + half };
}

/** @type {(one: Rectangle, other: Rectangle) => boolean} */
const covers = (one, other) =>
  one.left < other.right + BETWEEN && other.left < one.right + BETWEEN && one.top < other.bottom && other.top < one.bottom;
