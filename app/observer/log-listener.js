/**
 * Takes the log of a balancer from a socket (LOG_SOCKET) and keeps it in the record (LOG_FILE), for a balancer that writes no files itself.
 */
import { keepStream } from './kept-stream.js';

const { LOG_SOCKET: socket = '/raw/requests.sock', LOG_FILE: path = '/raw/requests.log' } = process.env;

const { close } = await keepStream({ socket, path });
// Nothing is left to do then, and the process ends.
process.once('SIGTERM', close);
process.once('SIGINT', close);
