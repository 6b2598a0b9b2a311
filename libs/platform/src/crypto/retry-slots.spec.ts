import { RetrySlots } from './retry-slots.js';

describe('RetrySlots', () => {
  it('fills the seconds in order, starting with the earliest', () => {
    const slots = new RetrySlots();
    const waits = Array.from({ length: 7 }, () => slots.assign(500, 2, 3));
    expect(waits).toEqual([2, 2, 2, 3, 3, 3, 4]);
  });

  it('retains future slots as time passes, and removes past ones', () => {
    const slots = new RetrySlots();
    expect([slots.assign(0, 1, 1), slots.assign(0, 1, 1)]).toEqual([1, 2]);
    expect(slots.assign(1_200, 1, 1)).toBe(2);
    expect(slots.assign(10_000, 1, 1)).toBe(1);
  });

  it('assigns slots at most 20 seconds ahead', () => {
    const slots = new RetrySlots();
    const waits = Array.from({ length: 40 }, () => slots.assign(0, 1, 1));
    expect(Math.max(...waits)).toBe(20);
  });
});
