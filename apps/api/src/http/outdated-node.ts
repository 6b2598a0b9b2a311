import type { Config } from '@gatehouse/platform';

/** Node versions from this on get security fixes (requirement SC-01). */
const MIN_PRODUCTION_NODE = 24;

/** Whether production runs on a Node that gets no security fixes any more. */
export const hasOutdatedNode = (config: Config): boolean =>
  config.production && Number(process.versions.node.split('.')[0]) < MIN_PRODUCTION_NODE;
