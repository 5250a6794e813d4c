/**
 * Takes the log of a balancer over TCP and keeps it in the record (LOG_FILE), for a balancer that writes no files itself.
 */
import { keepStream } from './kept-stream.js';

const PORT = 5140;

const { close } = await keepStream({ port: PORT, path: process.env.LOG_FILE || '/raw/requests.log' });
// Nothing is left to do then, and the process ends.
process.once('SIGTERM', close);
process.once('SIGINT', close);
