import { loadConfig } from '@gatehouse/platform';
import { filled, Lanes, type Lane } from './lanes.js';

const lanesOf = (concurrency: number): Lanes =>
  new Lanes(
    loadConfig({ WEBHOOK_CONCURRENCY: String(concurrency), GATEHOUSE_SECRET: 'x7Kq9'.repeat(8) + Math.PI }),
  );

const lane = (endpointId: string, projectId: string | null = 'p', urgency = 0): Lane => ({
  endpointId,
  projectId,
  urgency,
});

/** How many of these come in, one after the other. */
const entered = (lanes: Lanes, times: number, of: (nth: number) => Lane): number =>
  Array.from({ length: times }, (_, nth) => lanes.tryEnter(of(nth))).filter(Boolean).length;

describe('lanes (WH-13)', () => {
  it('an endpoint holds a quarter at most, and is held when it is turned away', () => {
    const lanes = lanesOf(100);
    expect(entered(lanes, 30, () => lane('hangs'))).toBe(25);
    expect([...lanes.held]).toEqual(['hangs']);
    expect(lanes.tryEnter(lane('other'))).toBe(true);
  });

  it('the endpoints of a project hold three quarters at most', () => {
    const lanes = lanesOf(100);
    expect(entered(lanes, 100, (nth) => lane(`e${nth}`))).toBe(75);
    expect(lanes.tryEnter(lane('e', 'another project'))).toBe(true);
  });

  it('events of no project are bound by their endpoint alone', () => {
    const lanes = lanesOf(100);
    expect(entered(lanes, 100, (nth) => lane(`e${nth}`, null))).toBe(100);
  });

  it('retries hold a half and batches a quarter: together they leave a quarter to first attempts', () => {
    const lanes = lanesOf(100);
    expect(entered(lanes, 100, (nth) => lane(`e${nth}`, `p${nth}`, 1))).toBe(50);
    expect(entered(lanes, 100, (nth) => lane(`f${nth}`, `q${nth}`, 2))).toBe(25);
    expect(entered(lanes, 100, (nth) => lane(`g${nth}`, `r${nth}`))).toBe(25);
  });

  it('what leaves makes room', () => {
    const lanes = lanesOf(4);
    expect(lanes.tryEnter(lane('one'))).toBe(true);
    expect(lanes.tryEnter(lane('one'))).toBe(false);
    lanes.leave(lane('one'));
    expect(lanes.tryEnter(lane('one'))).toBe(true);
    expect(lanes.leaves).toBe(1);
  });

  it('a worker for one attempt at a time takes one of any kind', () => {
    const lanes = lanesOf(1);
    expect(lanes.tryEnter(lane('one', 'p', 2))).toBe(true);
    expect(lanes.tryEnter(lane('other', 'q'))).toBe(false);
  });

  it('room: the limit, what is left of each urgency, and what is taken', () => {
    const lanes = lanesOf(100);
    lanes.enter(lane('one', 'p', 1));
    lanes.enter(lane('one', 'p', 1));
    expect(lanes.room(200)).toEqual({
      limit: 98,
      perEndpoint: 25,
      perProject: 75,
      endpoints: new Map([['one', 2]]),
      projects: new Map([['p', 2]]),
      urgencies: [100, 48, 25],
    });
  });
});

describe('filled', () => {
  const room = {
    limit: 9,
    perEndpoint: 3,
    perProject: 5,
    endpoints: new Map([['one', 1]]),
    projects: new Map([['p', 1]]),
    urgencies: [10, 5, 1],
  };
  const times = (count: number, of: (nth: number) => Lane): Lane[] =>
    Array.from({ length: count }, (_, nth) => of(nth));

  it.each([
    ['nothing', [], {}],
    ['an endpoint', times(2, () => lane('one', 'p')), { endpoints: ['one'], isAny: true }],
    ['a project', times(4, (nth) => lane(`e${nth}`)), { projects: ['p'], isAny: true }],
    ['an urgency', [lane('two', 'q', 2)], { urgencies: [2], isAny: true }],
    ['the limit', times(9, (nth) => lane(`e${nth}`, null)), { isAny: true }],
  ])('%s', (_, claimed, expected) =>
    expect(filled(room, claimed)).toEqual({
      endpoints: [],
      projects: [],
      urgencies: [],
      isAny: false,
      ...expected,
    }),
  );
});
