import type { ImportSource } from './source.js';

/** The systems from which customers can be imported, by the value of `--from`. */
export const sources: readonly ImportSource[] = [];
