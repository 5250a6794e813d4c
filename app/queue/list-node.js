/**
 * A node that does not write itself, as published: GET / pushes the write to a list in Redis and answers 202. Nobody has said then that
 * the write was done.
 */
import { pushHandler } from './list.js';
import { serveNode } from './node.js';

await serveNode(pushHandler);
