import { matchKey } from './shortcuts';

const shortcuts = ['r', 'd', '?', 'g d', 'g o'];

describe('matchKey', () => {
  it('matches a single key', () => {
    expect(matchKey(shortcuts, '?', 0, null)).toEqual({ shortcut: '?', pending: null });
    expect(matchKey(shortcuts, 'q', 0, null)).toEqual({ shortcut: null, pending: null });
  });

  it('prefers a sequence to a single key', () => {
    const { shortcut, pending } = matchKey(shortcuts, 'g', 1_000, null);
    expect([shortcut, pending]).toEqual([null, { key: 'g', at: 1_000 }]);
    expect(matchKey(shortcuts, 'd', 1_500, pending)).toEqual({ shortcut: 'g d', pending: null });
  });

  it('ends a sequence after two seconds or an unrelated key', () => {
    const pending = { key: 'g', at: 1_000 };
    expect(matchKey(shortcuts, 'd', 3_000, pending).shortcut).toBe('d');
    expect(matchKey(shortcuts, 'q', 1_100, pending)).toEqual({ shortcut: null, pending: null });
    expect(matchKey(shortcuts, 'g', 1_100, pending).pending).toEqual({ key: 'g', at: 1_100 });
  });
});
