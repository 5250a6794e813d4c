/**
 * The script of the compare page: it draws dots and charts, shows what is known of a tier, names the run that is pointed at, and
 * copies the command.
 */
import { comparePanels, unfoldComparison } from '../compare/arms.js';
import { drawPanels } from './charts.js';
import { startDots } from './dots.js';
import { startCards } from './flow-cards.js';
import './experiment.js';

const comparison = unfoldComparison(JSON.parse(document.getElementById('result')?.textContent ?? 'null'));

startCards();
startDots(comparison);
drawPanels(comparePanels(comparison), []);
