import { getHeapStatistics } from 'node:v8';

/** The part of the heap that requests in progress can use; the rest is the program's code and data. */
const HEAP_PART = 5 / 8;

/**
 * Returns the memory for requests in progress, in bytes: a part of the maximum heap. Node.js sets this maximum to half
 * the memory of the machine or container, unless `--max-old-space-size` sets it.
 */
export function defaultRequestMemory(): number {
  const container = process.constrainedMemory();
  const heap = getHeapStatistics().heap_size_limit;
  return Math.floor(Math.min(heap, container > 0 ? container / 2 : Infinity) * HEAP_PART);
}
