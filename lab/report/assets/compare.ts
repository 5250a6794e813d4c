/**
 * The script of the compare page: it draws dots and charts, shows what is known of a tier, names the run that is pointed at, and
 * copies the command.
 */

import { comparePanels, unfoldComparison } from '../compare/arms.ts';
import { drawPanels } from './charts.ts';
import { startCards } from './flow-cards.ts';
import './experiment.ts';
import { startDots } from './dots.ts';

const comparison = unfoldComparison(JSON.parse(document.getElementById('result')?.textContent ?? 'null'));

startCards();
startDots(comparison);
drawPanels(comparePanels(comparison), []);
