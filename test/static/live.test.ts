/**
 * The page of a run that goes on, with seconds that a test tells: on every screen it grows, and at the end it becomes the report.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Service } from '../../lab/docker/containers.ts';
import { LiveServer } from '../../lab/extras/watch/live-server.ts';
import { accessibilityFaults } from '../browser/accessibility.ts';
import { openBrowser, SCREENS, THEMES } from '../browser/screens.ts';

const SERVICES = [
	{ name: 'k6', tier: 'generator', cpuQuotaCores: null },
	{ name: 'nginx', tier: 'load-balancer', cpuQuotaCores: null },
	{ name: 'app-1', tier: 'app', cpuQuotaCores: 0.5 },
	{ name: 'app-2', tier: 'app', cpuQuotaCores: 0.5 },
	{ name: 'mongo', tier: 'database', cpuQuotaCores: null },
].map((service) => service as any) as Service[];
const SECONDS = 30;

let browser: Browser;
before(async () => {
	browser = await openBrowser();
});
after(() => browser.close());

/** A second of a ramp in which the balancer fills up. */
function tell(live: LiveServer, t: number) {
	for (const [index, { name }] of SERVICES.entries()) {
		live.take('containers', { name, t, cpu_s: t * (0.1 + index * 0.09), fds: { open_files: 40 * t, limit: 1024 } });
		live.take('kernel', { name, t, sockets: { inuse: 35 * t }, accept: [{ port: 80, queued: index }] });
	}
	const failureRate = t > 20 ? 0.2 : 0;
	live.load({
		stage: 'to 2,000 users',
		users: t * 60,
		rps: 400 + t * 20,
		p95Ms: 8 * t,
		failureRate,
		leftS: SECONDS - t,
		nowS: t,
		ofS: [t - 12, t - 7],
	});
}

for (const { name, width, height, scale } of SCREENS)
	for (const theme of THEMES)
		test(`a run is watched on a ${name} ${theme} screen`, { timeout: 60_000 }, async () => {
			const live = await LiveServer.start('2a');
			live.limit('nginx', 1024);
			live.describe(SERVICES);
			for (let t = 1; t <= SECONDS / 2; t += 1) tell(live, t);
			const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme, deviceScaleFactor: scale });
			const faults: string[] = [];
			page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
			page.on('pageerror', (error) => faults.push(error.message));
			try {
				await page.goto(live.url);
				await page.locator('#stage', { hasText: 'to 2,000 users' }).waitFor();
				for (let t = SECONDS / 2 + 1; t <= SECONDS; t += 1) tell(live, t);
				await page.locator('#rps', { hasText: '1,000' }).waitFor();
				await page.locator('#of', { hasText: 'are of seconds 18 to 23 of the load, which ended 7 s ago' }).waitFor();
				assert.deepEqual(
					await page.locator('#tiers .name').allTextContents(),
					SERVICES.map((service) => service.name),
				);
				assert.equal(await page.locator('#tiers .full').count(), SERVICES.length + 1, 'open files of each, and the table of the balancer');
				assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, 'nothing is wider than the screen');
				const drawn = await page.locator('.plot canvas').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height > 100));
				assert.deepEqual(drawn, [true, true, true, true]);
				assert.deepEqual(await accessibilityFaults(page, { theme }), []);
				if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/live-${name}-${theme}.png`, fullPage: true });
				const ended = live.end(async () => '<link rel="icon" href="data:,"><title>the report</title>');
				await page.waitForURL('**/report');
				assert.equal(await page.title(), 'the report');
				await ended;
				assert.deepEqual(faults, []);
			} finally {
				await page.close();
				await live.end();
			}
		});
