import { hash } from 'node:crypto';

const START_CAPACITY = 1024;
const MAX_LOAD = 0.6;

/**
 * Finds people by their ids. Keeps 8 hash bytes for each id instead of the id: among ten million ids, two have the same
 * 8 bytes with a probability of 1 in 300,000.
 */
export class KeyIndex {
  private size = 0;
  private high = new Uint32Array(START_CAPACITY);
  private low = new Uint32Array(START_CAPACITY);
  /** The person, counted from 1; 0: the place is empty. */
  private people = new Uint32Array(START_CAPACITY);

  /** Returns the person who was added with a key, or null. */
  find(key: string): number | null {
    const [high, low] = toHash(key);
    const found = this.people[this.findPlace(high, low)]!;
    return found === 0 ? null : found - 1;
  }

  /** Adds a person, unless another one has the key. */
  add(key: string, person: number): void {
    const [high, low] = toHash(key);
    if (this.put(high, low, person + 1) && this.size > this.people.length * MAX_LOAD) this.grow();
  }

  private put(high: number, low: number, value: number): boolean {
    const place = this.findPlace(high, low);
    if (this.people[place] !== 0) return false;
    [this.high[place], this.low[place], this.people[place]] = [high, low, value];
    this.size += 1;
    return true;
  }

  /** Returns a hash's place, or the empty place where it belongs. */
  private findPlace(high: number, low: number): number {
    const mask = this.people.length - 1;
    let place = low & mask;
    while (this.people[place] !== 0 && (this.high[place] !== high || this.low[place] !== low))
      place = (place + 1) & mask;
    return place;
  }

  private grow(): void {
    const { high, low, people } = this;
    const capacity = people.length * 2;
    this.high = new Uint32Array(capacity);
    this.low = new Uint32Array(capacity);
    this.people = new Uint32Array(capacity);
    this.size = 0;
    for (const [place, value] of people.entries())
      if (value !== 0) this.put(high[place]!, low[place]!, value);
  }
}

function toHash(text: string): [high: number, low: number] {
  const digits = hash('sha256', text);
  return [Number.parseInt(digits.slice(0, 8), 16), Number.parseInt(digits.slice(8, 16), 16)];
}

/** Returns 4 bytes from a value's hash, which are never 0. */
export const toDigest = (text: string): number => toHash(text)[0] || 1;
