/** Faults of the load generator. @type {Record<string, import('../faults.js').ShippedFault>} */
export const generator = {
  'generator-256-files': {
    title: 'k6 with 256 file descriptors',
    architecture: 'a',
    load: 'crowd',
    expected: [{ tier: 'generator', cause: 'generator-exhausted' }],
    services: { k6: { ulimits: { nofile: { soft: 256, hard: 256 } } } },
  },
  'generator-10-percent': {
    // Nothing else has a quota, or on some machines the node would be at its own.
    title: 'CPU quota of k6 at 10 % of a core, none for the others',
    architecture: 'a',
    load: 'crowd',
    expected: [],
    saturated: 'generator',
    validity: 'not VALID',
    services: { k6: { cpu_period: 10_000, cpu_quota: 1000 }, 'app-1': { cpu_quota: 0 }, mongo: { cpu_quota: 0 } },
  },
  'generator-5-percent': {
    title: 'CPU quota of k6 at 5 % of a core, in periods of 100 ms, under a crowd',
    architecture: 'a',
    load: 'crowd',
    validity: 'not VALID',
    services: { k6: { cpu_period: 100_000, cpu_quota: 5000 } },
  },
  'generator-stutters': {
    // It stands still for most of each period, in which its clocks run on; on average it has CPU left.
    title: 'CPU quota of k6 at 10 % of a core, in periods of 100 ms, under a calm load',
    architecture: 'a',
    load: 'calm',
    validity: 'not VALID',
    services: { k6: { cpu_period: 100_000, cpu_quota: 10_000 } },
  },
  'generator-throttled-midway': {
    title: 'CPU quota of k6 at 2 % of a core from second 3 to 8',
    architecture: 'a',
    load: 'crowd',
    validity: 'not VALID',
    actions: [
      { at: 0.3, service: 'k6', action: 'quota', cores: 0.02 },
      { at: 0.8, service: 'k6', action: 'quota' },
    ],
  },
};
