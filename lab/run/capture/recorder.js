/**
 * The container of the lab that records what passes one bridge. It stands beside the stack, in the host's network namespace, and can do
 * nothing else: its file system cannot be written but for the one file, it has the one capability that it takes to read packets, and it
 * ends by itself after a time and at a size.
 *
 * @typedef {import('./networks.js').Network} Network
 *
 * @typedef {object} Stopped
 * @property {string} network
 * @property {string} file      on this machine
 * @property {number | null} packets   that were recorded
 * @property {number | null} dropped   that the kernel could not hand over; null where that is not known
 * @property {number | null} cpu_s     that recording took, of one core; null where it had ended, or it is not known
 * @property {string} ended_early      why it ended before it was told to; empty where it did not
 */
import { setTimeout as wait } from 'node:timers/promises';
import { demultiplex } from '../../docker/log-stream.js';
import { FILTER, SNAP_BYTES } from './filter.js';

/** In the container. */
const FILE = '/capture/packets.pcap';
/** That the kernel keeps until they are read: a second and more of 20,000 packets of SNAP_BYTES. */
const RING_MIB = 64;
/** A run that records more is of some million packets. */
const FILE_MOST_KB = 2_000_000;
const READY_LIMIT_MS = 10_000;
const LOOK_MS = 100;
/** Packets wait in the ring until a block of it is full, or for so long. */
const RING_WAIT_MS = 1500;
const STOP_LIMIT_MS = 10_000;
const LOG_LINES = 50;
const NANO = 1e9;

export const LABEL = 'doubletake.capture';

/**
 * @param {{ network: Network, image: string, file: string, limitS: number, user?: string }} options  file: there already, and open to all;
 *   limitS: after which it ends whatever happens
 */
export const recorderOptions = ({ network, image, file, limitS }) => ({
  Image: image,
  Cmd: [
    ...['-i', network.bridge, '-P', '-q', '-s', String(SNAP_BYTES), '-B', String(RING_MIB), '-f', FILTER],
    ...['-a', `duration:${Math.ceil(limitS)}`, '-a', `filesize:${FILE_MOST_KB}`, '-w', FILE],
  ],
  // Of the container's root: without other capabilities it is nobody's. A user of its own would not get even the one.
  User: '0:0',
  Labels: { [LABEL]: String(process.pid) },
  HostConfig: {
    NetworkMode: 'host',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    CapAdd: ['NET_RAW'],
    SecurityOpt: ['no-new-privileges'],
    Memory: MEMORY_BYTES,
    Binds: [`${file}:${FILE}`],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
  },
});
/** Its ring is the kernel's, and counted for it. */
const MEMORY_BYTES = 256 * 1024 * 1024;

export class Recorder {
  #container;
  #network;
  #file;

  /** @param {import('dockerode').Container} container @param {Network} network @param {string} file */
  constructor(container, network, file) {
    this.#container = container;
    this.#network = network;
    this.#file = file;
  }

  /**
   * @param {import('dockerode')} engine
   * @param {Parameters<typeof recorderOptions>[0]} options
   * @returns {Promise<Recorder>} that records
   * @throws {Error} with what it said, when it does not
   */
  static async start(engine, options) {
    const container = await engine.createContainer(recorderOptions(options));
    const recorder = new Recorder(container, options.network, options.file);
    try {
      await container.start();
      await recorder.#untilReady();
    } catch (error) {
      await recorder.remove();
      throw error;
    }
    return recorder;
  }

  async #untilReady() {
    for (const endsAt = Date.now() + READY_LIMIT_MS; Date.now() < endsAt; await wait(LOOK_MS)) {
      const said = await this.#said();
      if (/^File: /m.test(said)) return;
      const { State: state } = await this.#container.inspect();
      if (!state.Running) throw new Error(complaintIn(said) || `it ended with code ${state.ExitCode}`);
    }
    throw new Error(`it did not begin in ${READY_LIMIT_MS / 1000} s`);
  }

  /** @returns {Promise<Stopped>} */
  async stop() {
    const before = await this.#container.inspect();
    let cpuS = null;
    if (before.State.Running) {
      await wait(RING_WAIT_MS);
      cpuS = await this.#cpuSeconds();
      await this.#container.kill({ signal: 'SIGINT' }).catch(() => {});
      await this.#untilEnded();
    }
    const said = await this.#said();
    const { State: state } = await this.#container.inspect();
    await this.remove();
    const endedEarly = before.State.Running ? '' : earlyEnd(said, state.ExitCode);
    return { network: this.#network.name, file: this.#file, ...countsIn(said), cpu_s: cpuS, ended_early: endedEarly };
  }

  /** Whatever it does. */
  async remove() {
    await this.#container.remove({ force: true }).catch(() => {});
  }

  async #untilEnded() {
    for (const endsAt = Date.now() + STOP_LIMIT_MS; Date.now() < endsAt; await wait(LOOK_MS)) {
      const { State: state } = await this.#container.inspect();
      if (!state.Running) return;
    }
  }

  /** @returns {Promise<number | null>} */
  async #cpuSeconds() {
    const stats = await this.#container.stats({ stream: false, 'one-shot': true }).catch(() => null);
    const nanoseconds = stats?.cpu_stats?.cpu_usage?.total_usage;
    return nanoseconds === undefined ? null : nanoseconds / NANO;
  }

  async #said() {
    const log = await this.#container.logs({ stdout: true, stderr: true, follow: false, tail: LOG_LINES });
    return demultiplex(/** @type {Buffer} */ (/** @type {unknown} */ (log)));
  }
}

/**
 * @param {string} said  by the recording program at its end
 * @returns {{ packets: number | null, dropped: number | null }}
 */
export function countsIn(said) {
  const counts = /^Packets received\/dropped on interface '[^']*': (\d+)\/(\d+) \(pcap:(\d+)\/dumpcap:(\d+)\/flushed:(\d+)/m.exec(said);
  const captured = /^Packets captured: (\d+)/m.exec(said);
  return { packets: captured ? Number(captured[1]) : null, dropped: counts ? Number(counts[2]) + Number(counts[5]) : null };
}

/** Lines that it always says, because it has no capability that it might give up. */
const USUAL = /cap_set_proc|^Capturing on|^File: |^Packets /;

/** @param {string} said */
const complaintIn = (said) =>
  said
    .split('\n')
    .filter((line) => line.trim() !== '' && !USUAL.test(line))
    .join(' ')
    .trim();

/** @param {string} said @param {number} exitCode */
function earlyEnd(said, exitCode) {
  if (exitCode !== 0) return complaintIn(said) || `its recorder ended with code ${exitCode}`;
  return `its recorder had reached its limit of time, or of ${FILE_MOST_KB / 1e6} GB`;
}
