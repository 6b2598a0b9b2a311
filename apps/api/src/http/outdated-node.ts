import type { Config } from '@gatehouse/platform';

/** The lowest major version of Node.js that receives security fixes (requirement SC-01). */
const MIN_PRODUCTION_NODE = 24;

/** Returns true if production runs on a version of Node.js that no longer receives security fixes. */
export const hasOutdatedNode = (config: Config): boolean =>
  config.production && Number(process.versions.node.split('.')[0]) < MIN_PRODUCTION_NODE;
