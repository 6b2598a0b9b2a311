import { createHash } from 'node:crypto';

/** Size of a hash, in bytes: two 32-bit integers. */
const HASH_BYTES = 8;
const FIRST_SLOTS = 4_096;
/** Share of the slots that can be used. */
const MAX_LOAD = 0.75;

/** The values that must be unique in a project, from lines that were checked but are not stored. */
export interface EarlierLines {
  has(key: string): boolean;
}

/** For imports, whose lines are stored. */
export const noEarlierLines: EarlierLines = { has: () => false };

/**
 * Remembers 64-bit hashes of a dry run's unique values, so that lines in different batches are compared as well. A hash
 * table in one buffer: a `Set` would take eight times the memory.
 */
export class UniqueValues implements EarlierLines {
  private slots = new Uint32Array(0);
  private count = 0;

  /** @param hold called with the bytes that are used in addition. It throws if there is no memory */
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

  /** Returns a hash's slot, or the unused slot that it belongs in. */
  private findSlot(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length / 2 - 1;
    for (let index = low & mask; ; index = (index + 1) & mask) {
      const slot = index * 2;
      if (slots[slot] === 0 || (slots[slot] === high && slots[slot + 1] === low)) return slot;
    }
  }

  private grow(): void {
    const length = this.slots.length === 0 ? FIRST_SLOTS * 2 : this.slots.length * 2;
    // While the hashes are copied, both buffers exist. The smaller buffer is held until then.
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

/** Returns a hash as two integers, the first of which is not 0: an unused slot contains 0. */
function hash(key: string): [number, number] {
  const digest = createHash('sha256').update(key).digest();
  return [digest.readUInt32BE(0) || 1, digest.readUInt32BE(4)];
}
