/**
 * The script of the compare page: it draws the charts, shows what is known of a tier, names the run that is pointed at, and
 * copies the command.
 */
import { comparePanels } from '../compare/panels.js';
import { drawPanels } from './charts.js';
import { startDots } from './dots.js';
import { startCards } from './flow-cards.js';
import './experiment.js';

startCards();
startDots();
drawPanels(comparePanels(JSON.parse(document.getElementById('result')?.textContent ?? 'null')), []);
