/**
 * The Fastify application: GET / does the variant's work and answers what it says, as the source's server does; HTTP 500
 * when it fails, with headers that say that it was the app.
 */
import { performance } from 'node:perf_hooks';
import { fastify } from 'fastify';
import { failedTier } from '../../../app/lib/failed-tier.js';
import { followUntilClosed, newTimes, withFaults } from '../../../app/lib/request-handler.js';

/**
 * @param {import('../../../app/lib/config.js').Config} config
 * @param {import('../../../app/lib/telemetry.js').Counts} counts
 * @param {() => Promise<object>} run  what one request is answered
 */
export function appOf(config, counts, run) {
	const app = fastify();
	const runOrFail = withFaults(config, run);
	app.get('/healthz', async () => ({ ready: true, server: config.name }));
	app.get('/', async (request, reply) => {
		const started = performance.now();
		const times = newTimes();
		followUntilClosed(/** @type {string | undefined} */ (request.headers['x-request-id']), reply.raw, counts, times);
		try {
			const answer = await runOrFail(undefined);
			if (!reply.raw.closed) {
				counts.ok_ms.count += 1;
				counts.ok_ms.handler += performance.now() - started;
			}
			return answer;
		} catch (error) {
			const name = error instanceof Error ? error.name : 'Error';
			counts.errors[name] = (counts.errors[name] ?? 0) + 1;
			times.error = name;
			return reply
				.code(500)
				.header('X-Failed-Tier', failedTier(error))
				.header('X-Error-Name', name)
				.send({ error: name, server: config.name });
		}
	});
	return app;
}
