import { RetrySlots } from './retry-slots.js';

describe('Appointments', () => {
  it('fill second after second, from the earliest on', () => {
    const appointments = new RetrySlots();
    const waits = Array.from({ length: 7 }, () => appointments.assign(500, 2, 3));
    expect(waits).toEqual([2, 2, 2, 3, 3, 3, 4]);
  });

  it('are kept while time goes by, and forgotten once they are over', () => {
    const appointments = new RetrySlots();
    expect([appointments.assign(0, 1, 1), appointments.assign(0, 1, 1)]).toEqual([1, 2]);
    expect(appointments.assign(1_200, 1, 1)).toBe(2);
    expect(appointments.assign(10_000, 1, 1)).toBe(1);
  });

  it('lie 20 seconds ahead at most', () => {
    const appointments = new RetrySlots();
    const waits = Array.from({ length: 40 }, () => appointments.assign(0, 1, 1));
    expect(Math.max(...waits)).toBe(20);
  });
});
