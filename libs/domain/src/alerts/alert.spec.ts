import { alertText, MOST_COUNTED, troubleKinds, type Trouble } from './alert.js';

const url = 'https://auth.example.com';
const trouble = (over: Partial<Trouble> = {}): Trouble => ({
  kind: 'dead_letters',
  count: 2,
  since: new Date('2026-11-21T10:00:00Z'),
  newest: new Date('2026-11-21T10:05:00Z'),
  ...over,
});

describe('alertText', () => {
  it.each(troubleKinds)('%s: says what, how many, since when, where to look, and when it is over', (kind) => {
    const { subject, text } = alertText(kind, trouble({ kind }), url);
    expect(subject).not.toBe('');
    expect(text).toMatch(/^Gatehouse at https:\/\/auth\.example\.com: 2 /);
    expect(text).toContain('2026-11-21T10:00:00.000Z');
    expect(text).toContain('docs/operations.md');
    const over = alertText(kind, null, url);
    expect(over.subject).toBe(`${subject}: resolved`);
    expect(over.text).toMatch(/^Gatehouse at https:\/\/auth\.example\.com: There are no more .+\.$/);
  });

  it.each([
    [1, ': 1 dead letter, the oldest since'],
    [MOST_COUNTED - 1, ': 999 dead'],
    [MOST_COUNTED, 'At least 1000'],
  ])('counts %d', (count, expected) =>
    expect(alertText('dead_letters', trouble({ count }), url).text).toContain(expected),
  );
});
