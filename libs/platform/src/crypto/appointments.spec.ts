import { Appointments } from './appointments.js';

describe('Appointments', () => {
  it('fill second after second, from the earliest on', () => {
    const appointments = new Appointments();
    const waits = Array.from({ length: 7 }, () => appointments.next(500, 2, 3));
    expect(waits).toEqual([2, 2, 2, 3, 3, 3, 4]);
  });

  it('are kept while time goes by, and forgotten once they are over', () => {
    const appointments = new Appointments();
    expect([appointments.next(0, 1, 1), appointments.next(0, 1, 1)]).toEqual([1, 2]);
    expect(appointments.next(1_200, 1, 1)).toBe(2);
    expect(appointments.next(10_000, 1, 1)).toBe(1);
  });

  it('lie 20 seconds ahead at most', () => {
    const appointments = new Appointments();
    const waits = Array.from({ length: 40 }, () => appointments.next(0, 1, 1));
    expect(Math.max(...waits)).toBe(20);
  });
});
