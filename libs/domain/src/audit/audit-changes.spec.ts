import { auditChanges, withoutUrlPath } from './audit-changes.js';

describe('auditChanges', () => {
  it('returns the old and new values of changed fields at every level', () => {
    const before = { name: 'Shop', settings: { ttl: 900, branding: { color: '#000000' }, legacy: null } };
    const after = {
      name: 'Shop',
      settings: { ttl: 600, branding: { color: '#ffffff' }, legacy: { url: 'x' } },
    };
    expect(auditChanges(before, after)).toEqual({
      'settings.ttl': { from: 900, to: 600 },
      'settings.branding.color': { from: '#000000', to: '#ffffff' },
      'settings.legacy.url': { from: null, to: 'x' },
    });
    expect(auditChanges({ events: ['a'] }, { events: ['a'] })).toEqual({});
  });

  it('omits credentials from URLs', () => {
    const secret = 'https://user:secret@shop.example/a?token=secret#secret';
    const shown = 'https://shop.example/a?…';
    expect(auditChanges({ url: [secret] }, { url: secret })).toEqual({ url: { from: [shown], to: shown } });
    expect(auditChanges({ url: null }, { url: 'https://user:secret@shop.example' })).toEqual({
      url: { from: null, to: 'https://shop.example' },
    });
    expect(withoutUrlPath('https://hooks.example/services/secret')).toBe('https://hooks.example/…');
  });

  it('limits the size of the result', () => {
    const fields = Array.from({ length: 100 }, (_, index) => [`field-${index}`, '😀'.repeat(10_000)]);
    const changes = auditChanges({}, { ...Object.fromEntries(fields), list: Array(1_000).fill('text') });
    expect(Object.keys(changes)).toHaveLength(40);
    expect(JSON.stringify(changes).length).toBeLessThan(40 * 300);
    expect(String(auditChanges({}, { list: Array(1_000).fill('text') })['list']!.to)).toHaveLength(201);
  });
});
