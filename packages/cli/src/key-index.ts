import { hash } from 'node:crypto';

const START_CAPACITY = 1024;
const MAX_LOAD = 0.6;

/**
 * Finds users by their ids. Stores 8 hash bytes per id instead of the id. Among ten million ids, two have the same 8
 * bytes with a probability of 1 in 300,000.
 */
export class KeyIndex {
  private size = 0;
  private high = new Uint32Array(START_CAPACITY);
  private low = new Uint32Array(START_CAPACITY);
  /** The users, counted from 1; 0 if the slot is empty. */
  private users = new Uint32Array(START_CAPACITY);

  /** Returns the user that was added with a key, or null. */
  find(key: string): number | null {
    const [high, low] = toHash(key);
    const found = this.users[this.findSlot(high, low)]!;
    return found === 0 ? null : found - 1;
  }

  /** Adds a user, unless another user already has the key. */
  add(key: string, user: number): void {
    const [high, low] = toHash(key);
    if (this.put(high, low, user + 1) && this.size > this.users.length * MAX_LOAD) this.grow();
  }

  private put(high: number, low: number, value: number): boolean {
    const slot = this.findSlot(high, low);
    if (this.users[slot] !== 0) return false;
    [this.high[slot], this.low[slot], this.users[slot]] = [high, low, value];
    this.size += 1;
    return true;
  }

  /** Returns the slot of a hash, or the empty slot where it belongs. */
  private findSlot(high: number, low: number): number {
    const mask = this.users.length - 1;
    let slot = low & mask;
    while (this.users[slot] !== 0 && (this.high[slot] !== high || this.low[slot] !== low))
      slot = (slot + 1) & mask;
    return slot;
  }

  private grow(): void {
    const { high, low, users } = this;
    const capacity = users.length * 2;
    this.high = new Uint32Array(capacity);
    this.low = new Uint32Array(capacity);
    this.users = new Uint32Array(capacity);
    this.size = 0;
    for (const [slot, value] of users.entries()) if (value !== 0) this.put(high[slot]!, low[slot]!, value);
  }
}

function toHash(text: string): [high: number, low: number] {
  const digits = hash('sha256', text);
  return [Number.parseInt(digits.slice(0, 8), 16), Number.parseInt(digits.slice(8, 16), 16)];
}

/** Returns 4 bytes of a value's hash, never 0. */
export const toDigest = (text: string): number => toHash(text)[0] || 1;
