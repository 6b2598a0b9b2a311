import { describeChange, type ChangeUnit, type Improvement } from './describe-change';

describe('describeChange', () => {
  it.each<[string, number, number, ChangeUnit]>([
    ['+12%', 112, 100, 'percent'],
    ['−50%', 1, 2, 'percent'],
    ['+0.4%', 1_004, 1_000, 'percent'],
    ['+1,150%', 1_250, 100, 'percent'],
    ['−100%', 0, 3, 'percent'],
    ['Up', 3, 0, 'percent'],
    ['No change', 0, 0, 'percent'],
    ['No change', 1_000_001, 1_000_000, 'percent'],
    ['+1.5 points', 0.975, 0.96, 'points'],
    ['−20 points', 0.8, 1, 'points'],
    ['+50 points', 0.5, 0, 'points'],
  ])('returns "%s" for %d after %d in the previous period', (text, current, previous, unit) =>
    expect(describeChange(current, previous, undefined, unit)).toEqual({ text, tone: undefined }),
  );

  it.each<[Improvement, number, number, string | undefined]>([
    ['less', 5, 4, 'bad'],
    ['less', 4, 5, 'good'],
    ['more', 5, 4, 'good'],
    ['more', 4, 5, 'bad'],
    ['less', 3, 0, 'bad'],
    ['less', 4, 4, undefined],
  ])('treats "%s" as an improvement, and rates %d after %d as %s', (improvement, current, previous, tone) =>
    expect(describeChange(current, previous, improvement).tone).toBe(tone),
  );
});
