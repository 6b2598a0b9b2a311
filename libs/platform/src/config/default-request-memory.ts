import { getHeapStatistics } from 'node:v8';

/** Part of the heap that requests in progress can use; the rest is the code and data of the program. */
const HEAP_PART = 5 / 8;

/**
 * Returns the memory for requests in progress, in bytes: a part of the maximum heap. Node.js derives this maximum from
 * the memory of the machine or container, of which it is half, unless `--max-old-space-size` sets it.
 */
export function defaultRequestMemory(): number {
  const container = process.constrainedMemory();
  const heap = getHeapStatistics().heap_size_limit;
  return Math.floor(Math.min(heap, container > 0 ? container / 2 : Infinity) * HEAP_PART);
}
