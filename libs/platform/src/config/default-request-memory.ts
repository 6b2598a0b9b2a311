import { getHeapStatistics } from 'node:v8';

/** The part of the heap that requests in progress can use. The rest is for the program's code and data. */
const HEAP_PART = 5 / 8;

/**
 * Returns the memory for requests in progress, in bytes. It is a part of the maximum heap, which is half the memory of
 * the machine or container unless `--max-old-space-size` is set.
 */
export function defaultRequestMemory(): number {
  const container = process.constrainedMemory();
  const heap = getHeapStatistics().heap_size_limit;
  return Math.floor(Math.min(heap, container > 0 ? container / 2 : Infinity) * HEAP_PART);
}
