/**
 * The pools scenario, one node of the system under test: Fastify, with or without a Piscina pool, and no database. Which,
 * and what a request does, is VARIANT.
 */
import { Piscina } from 'piscina';
import { readConfig } from '../../../app/lib/config.js';
import { serve } from '../../../app/lib/service.js';
import { newCounts } from '../../../app/lib/telemetry.js';
import { appOf } from './app.js';
import { readVariant } from './variants.js';
import { workOf } from './work.js';

const config = readConfig(process.env);
const { run, own, close } = workOf(readVariant(process.env));
const counts = { ...newCounts(), own };
const app = appOf(config, counts, run);
await app.ready();
serve({
	config,
	listener: (request, response) => app.routing(request, response),
	counts,
	start: { versions: { node: process.versions.node, fastify: app.version, piscina: Piscina.version } },
	close,
});
