/**
 * The script of a run report: it draws the charts, and shows a tier's evidence when the tier is pointed at.
 */
import { unfold } from '../drawn.js';
import { startCards } from './flow-cards.js';
import { drawCharts } from './run-charts.js';

startCards();
drawCharts(unfold(JSON.parse(document.getElementById('result')?.textContent ?? 'null')));
