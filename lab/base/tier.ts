/** Tiers of a system, and how closely a service is watched. */

export type Tier = 'generator' | 'load-balancer' | 'app' | 'pool' | 'queue' | 'cache' | 'database';

/** 0: the container alone; 1: its own log as it is; 2: a configuration that the lab lays over; 3: a preload */
export type Level = 0 | 1 | 2 | 3;
