import { alertText, COUNT_CAP, alertKinds, type AlertCondition } from './alert.js';

const url = 'https://auth.example.com';
const condition = (changed: Partial<AlertCondition> = {}): AlertCondition => ({
  kind: 'dead_letters',
  count: 2,
  since: new Date('2026-11-21T10:00:00Z'),
  newest: new Date('2026-11-21T10:05:00Z'),
  ...changed,
});

describe('alertText', () => {
  it.each(alertKinds)(
    'includes the count, start and a link in the %s message, and reports the resolved problem',
    (kind) => {
      const { subject, text } = alertText(kind, condition({ kind }), url);
      expect(subject).not.toBe('');
      expect(text).toMatch(/^Gatehouse at https:\/\/auth\.example\.com: 2 /);
      expect(text).toContain('2026-11-21T10:00:00.000Z');
      expect(text).toContain('docs/operations/alerts.md');
      const resolved = alertText(kind, null, url);
      expect(resolved.subject).toBe(`${subject}: resolved`);
      expect(resolved.text).toMatch(/^Gatehouse at https:\/\/auth\.example\.com: There are no more .+\.$/);
    },
  );

  it.each([
    [1, ': 1 dead letter, the oldest since'],
    [COUNT_CAP - 1, ': 999 dead'],
    [COUNT_CAP, 'At least 1000'],
  ])('formats the count %d', (count, expected) =>
    expect(alertText('dead_letters', condition({ count }), url).text).toContain(expected),
  );
});
