import { alertText, MOST_COUNTED, troubleKinds, type Trouble } from './alert.js';

const trouble = (over: Partial<Trouble> = {}): Trouble => ({
  kind: 'dead_letters',
  count: 2,
  since: new Date('2026-11-21T10:00:00Z'),
  newest: new Date('2026-11-21T10:05:00Z'),
  ...over,
});

describe('alertText', () => {
  it.each(troubleKinds)('%s: says what, how many, since when and where to look', (kind) => {
    const { subject, text } = alertText(kind, trouble({ kind }), 'https://auth.example.com');
    expect(subject).not.toBe('');
    expect(text).toMatch(/^Gatehouse at https:\/\/auth\.example\.com: 2 /);
    expect(text).toContain('2026-11-21T10:00:00.000Z');
    expect(text).toContain('docs/operations.md');
  });

  it.each(troubleKinds)('%s: says that it is over', (kind) => {
    const open = alertText(kind, trouble({ kind }), 'https://auth.example.com');
    const { subject, text } = alertText(kind, null, 'https://auth.example.com');
    expect(subject).toBe(`${open.subject}: over`);
    expect(text).toMatch(/any more\.$/);
  });

  it('one of them is in the singular', () => {
    expect(alertText('dead_letters', trouble({ count: 1 }), 'u').text).toContain('1 dead letter waits');
  });

  it('more are not counted than are looked at', () => {
    expect(alertText('dead_letters', trouble({ count: MOST_COUNTED }), 'u').text).toContain('At least 1000');
    expect(alertText('dead_letters', trouble({ count: MOST_COUNTED - 1 }), 'u').text).toContain(': 999 dead');
  });
});
