import { createHash } from 'node:crypto';

/** Size of a hash, in bytes: two 32-bit integers. */
const HASH_BYTES = 8;
const FIRST_SLOTS = 4_096;
/** Share of used slots above which the table grows. */
const MAX_LOAD = 0.75;

/** Unique values from earlier lines, which a dry run has checked but not stored. */
export interface SeenValues {
  has(key: string): boolean;
}

/** Used by real imports: the database detects duplicates of stored lines. */
export const noSeenValues: SeenValues = { has: () => false };

/**
 * Stores 64-bit hashes of the unique values in a dry run, so that lines are also compared across batches. The hash
 * table is a single buffer, because a `Set` would take eight times the memory.
 */
export class UniqueValues implements SeenValues {
  private slots = new Uint32Array(0);
  private count = 0;

  /**
   * @param hold reserves additional bytes; throws if no memory is left
   */
  constructor(private readonly hold: (bytes: number) => void) {}

  has(key: string): boolean {
    return this.count > 0 && this.isUsed(this.findSlot(this.slots, ...hash(key)));
  }

  add(key: string): void {
    if ((this.count + 1) * 2 > this.slots.length * MAX_LOAD) this.grow();
    const [high, low] = hash(key);
    const slot = this.findSlot(this.slots, high, low);
    if (!this.isUsed(slot)) this.count += 1;
    this.slots[slot] = high;
    this.slots[slot + 1] = low;
  }

  private isUsed(slot: number): boolean {
    return this.slots[slot] !== 0;
  }

  /** Returns the slot of a hash, or the free slot where it belongs. */
  private findSlot(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1;
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const slot = index * 2;
      if (slots[slot] === 0 || (slots[slot] === high && slots[slot + 1] === low)) return slot;
    }
  }

  private grow(): void {
    const length = this.slots.length === 0 ? FIRST_SLOTS * 2 : this.slots.length * 2;
    // Both buffers exist during the copy, so the new one is reserved in addition to the old one.
    this.hold((length / 2) * HASH_BYTES);
    const slots = new Uint32Array(length);
    for (let slot = 0; slot < this.slots.length; slot += 2) {
      if (!this.isUsed(slot)) continue;
      const target = this.findSlot(slots, this.slots[slot]!, this.slots[slot + 1]!);
      slots[target] = this.slots[slot]!;
      slots[target + 1] = this.slots[slot + 1]!;
    }
    this.slots = slots;
  }
}

/** Returns a hash as two integers. The first is never 0, which marks a free slot. */
function hash(key: string): [number, number] {
  const digest = createHash('sha256').update(key).digest();
  return [digest.readUInt32BE(0) || 1, digest.readUInt32BE(4)];
}
