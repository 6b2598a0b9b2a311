import { boundsOf } from './time-range';

const now = Date.UTC(2026, 0, 2);

describe('boundsOf', () => {
  it('counts a preset back from now', () => {
    expect(boundsOf('24h', now)).toEqual({ after: '2026-01-01T00:00:00.000Z' });
  });

  it('reads two moments, or one', () => {
    const [one, other] = ['2026-01-01T00:00:00.000Z', '2026-01-01T12:00:00.000Z'];
    expect(boundsOf(`${one}~${other}`, now)).toEqual({ after: one, before: other });
    expect(boundsOf(`${one}~`, now)).toEqual({ after: one });
    expect(boundsOf(`~${other}`, now)).toEqual({ before: other });
  });

  it.each(['', '~', 'yesterday', '2026~x', '1~2~3', 'toString'])('does not understand "%s"', (range) => {
    expect(boundsOf(range, now)).toBeNull();
  });
});
