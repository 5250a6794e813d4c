/** The script of the page of a run that goes on: shows each second as it comes, and at the end the report. */
import uPlot from 'uplot';
import { cores, count, duration, figure, milliseconds, percent, rate, tierColour } from '../format.ts';
import { readPaint } from './paint.ts';
import type { LiveService, Snapshot } from './snapshot.ts';

type Line = { label: string; colour: string; of: (snapshot: Snapshot) => number | null | undefined };

const HEIGHT = 180;
/** Of what a service may use: from there on it is shown as full. */
const FULL_SHARE = 0.95;

const snapshots: Snapshot[] = [];
const charts: Map<string, uPlot> = new Map();

const the = (id: string) => document.getElementById(id) as HTMLElement;

const source = new EventSource('seconds');
source.addEventListener('passed', ({ data }) => {
	snapshots.splice(0, snapshots.length, ...JSON.parse(data));
	show();
});
source.addEventListener('second', ({ data }) => {
	snapshots.push(JSON.parse(data));
	show();
});
source.addEventListener('end', ({ data }) => {
	source.close();
	if (JSON.parse(data).report) location.replace('report');
	else the('note').textContent = 'The run has ended without a report.';
});
source.addEventListener('error', () => {
	the('note').textContent = 'Doubletake does not answer any more; what it last said stands here.';
});
document.addEventListener('themechange', () => {
	for (const chart of charts.values()) chart.destroy();
	charts.clear();
	show();
});
addEventListener('resize', () => {
	for (const [id, chart] of charts) chart.setSize({ width: the(id).clientWidth, height: HEIGHT });
});

function show() {
	const now = snapshots.at(-1);
	if (now === undefined) return;
	the('stage').textContent = now.stage;
	the('users').textContent = count(now.users);
	the('rps').textContent = rate(now.rps);
	the('p95_ms').textContent = milliseconds(now.p95_ms);
	the('failed').textContent = percent(now.failed);
	the('failed').classList.toggle('bad', (now.failed ?? 0) > 0);
	the('left_s').textContent = `${now.is_longest ? '≤ ' : ''}${duration(Math.round(now.left_s))}`;
	if (now.of_s !== null && now.t_s !== null) the('of').textContent = aboutFigures(now.of_s, now.t_s);
	the('tiers').replaceChildren(...now.services.map(cardOf));
	drawAll(now.services);
}

const aboutFigures: (of: [from: number, to: number], now: number) => string = ([from, to], now) =>
	`Stage, users, requests, p95 and failures are of seconds ${Math.round(from)} to ${Math.round(to)} of the load, which ended ${Math.round(now - to)} s ago: the load’s users write down their requests some at a time. All else is of now, second ${Math.round(now)}.`;

/** Where its figures are drawn. */
const middleOf: (snapshot: Snapshot) => number | null = ({ of_s: of }) => (of === null ? null : (of[0] + of[1]) / 2);

const nowOf: (snapshot: Snapshot) => number | null = ({ t_s: t }) => t;

function cardOf(service: LiveService) {
	const card = document.createElement('li');
	card.style.setProperty('--colour', `var(${tierColour(service.tier)})`);
	card.classList.toggle('ended', service.ended);
	const name = document.createElement('p');
	name.className = 'name';
	name.textContent = service.name;
	const facts = document.createElement('dl');
	facts.append(
		factOf('CPU', service.cores, service.cores_most, cores),
		factOf('connections', service.connections, service.connections_most, count),
		factOf('not accepted yet', service.waiting || null, null, count),
		factOf('open files', service.files, service.files_most, count),
	);
	card.append(name, facts);
	return card;
}

function factOf(name: string, value: number | null, most: number | null, format: (value: number) => string): HTMLElement | string {
	if (value === null) return '';
	const row = document.createElement('div');
	const [term, reported] = [document.createElement('dt'), document.createElement('dd')];
	term.textContent = name;
	reported.textContent = most === null ? format(value) : `${figure(value)} of ${format(most)}`;
	row.append(term, reported);
	if (most === null) return row;
	row.classList.toggle('full', value >= most * FULL_SHARE);
	const meter = document.createElement('meter');
	meter.max = most;
	meter.high = most * FULL_SHARE;
	meter.value = value;
	meter.setAttribute('aria-label', `${name}: ${reported.textContent}`);
	reported.append(meter);
	return row;
}

function drawAll(services: LiveService[]) {
	draw('rate', middleOf, [
		{ label: 'all', colour: '--accent', of: ({ rps }) => rps },
		{ label: 'failed', colour: '--loss', of: ({ rps, failed }) => (rps === null || failed === null ? null : rps * failed) },
	]);
	draw('p95', middleOf, [{ label: 'p95', colour: '--percentile-95', of: ({ p95_ms: p95 }) => p95 }]);
	draw(
		'cpu',
		nowOf,
		linesOf(services, ({ cores: used, cores_most: most }) => (used === null ? null : used / (most ?? 1))),
	);
	draw(
		'connections',
		nowOf,
		linesOf(services, ({ connections }) => connections),
	);
}

const linesOf: (services: LiveService[], of: (service: LiveService) => number | null) => Line[] = (services, of) =>
	services.map(({ name, tier }) => ({
		label: name,
		colour: tierColour(tier),
		of: (snapshot) => {
			const service = snapshot.services.find((one) => one.name === name);
			return service === undefined ? null : of(service);
		},
	}));

/** The same for all charts: all of the load so far. */
function timeSoFar(): [number, number] {
	const times = snapshots.flatMap(({ t_s: t }) => t ?? []);
	return [times[0] ?? 0, Math.max((times[0] ?? 0) + 1, times.at(-1) ?? 1)];
}

/** @param at seconds of the load */
function draw(id: string, at: (snapshot: Snapshot) => number | null, lines: Line[]) {
	const placed = snapshots.filter((snapshot) => at(snapshot) !== null);
	const data = [placed.map(at), ...lines.map(({ of }) => placed.map((snapshot) => of(snapshot) ?? null))] as uPlot.AlignedData;
	const chart = charts.get(id);
	if (chart && chart.series.length === data.length) {
		chart.setData(data);
		return;
	}
	chart?.destroy();
	const { colour } = readPaint();
	const axis = { stroke: colour('--muted'), grid: { stroke: colour('--rule'), width: 1 }, ticks: { show: false } };
	charts.set(
		id,
		new uPlot(
			{
				width: the(id).clientWidth,
				height: HEIGHT,
				legend: { show: lines.length > 1, live: false },
				scales: { x: { time: false, range: timeSoFar }, y: { range: (_, _min, most) => [0, (most ?? 0) * 1.06 || 1] } },
				axes: [
					{ ...axis, values: (_, seconds) => seconds.map((second) => `${second} s`) },
					{ ...axis, size: 56 },
				],
				series: [
					{ label: 's' },
					...lines.map((line) => ({ label: line.label, stroke: colour(line.colour), width: 2, points: { show: false } })),
				],
			},
			data,
			the(id),
		),
	);
}
