import { defaultSettings, effectiveSettings } from './project-settings.js';
import { changedFields, fieldPaths, applySettingsPatch, toStoredSettings } from './settings-patch.js';

const stored = {
  accessTokenTtl: 600,
  allowedOrigins: ['https://a.example'],
  branding: { displayName: 'Shop', color: '#123456' },
};
const settings = effectiveSettings(stored);
const branding = { displayName: 'Shop', logoUrl: null, color: '#123456' };

describe('applySettingsPatch', () => {
  it.each([
    ['a patch without changes', { accessTokenTtl: undefined, branding: {} }, {}],
    [
      'changed fields, keeps the other fields',
      { passwordMinLength: 12, branding: { color: '#abcdef' } },
      { passwordMinLength: 12, branding: { ...branding, color: '#abcdef' } },
    ],
    [
      'null as the default',
      { accessTokenTtl: null, branding: { color: null } },
      { accessTokenTtl: 3600, branding: { ...branding, color: null } },
    ],
    [
      'a null group as its defaults',
      { branding: null, allowedOrigins: null },
      { branding: defaultSettings.branding, allowedOrigins: [] },
    ],
    [
      'the URL of a previous system in its normalized form',
      { legacySignIn: { url: 'https://OLD.example:443' } },
      { legacySignIn: { url: 'https://old.example/' } },
    ],
    [
      'a list as a whole',
      { allowedOrigins: ['https://b.example'] },
      { allowedOrigins: ['https://b.example'] },
    ],
  ])('applies %s, and leaves its arguments unmodified', (_, patch, changed) => {
    const before = structuredClone([settings, defaultSettings]);
    expect(applySettingsPatch(settings, patch)).toEqual({ ...settings, ...changed });
    expect([settings, defaultSettings]).toEqual(before);
  });
});

it('stores only values that differ from the defaults', () => {
  expect(toStoredSettings(settings)).toEqual(stored);
  expect(toStoredSettings(defaultSettings)).toEqual({});
});

it('returns the previous values of changed fields at every level', () => {
  const before = { name: 'Shop', settings };
  const changed = (patch: object) =>
    changedFields(before, { ...before, settings: applySettingsPatch(settings, patch) });
  const found = changed({ accessTokenTtl: 60, branding: { color: null } });
  expect(found).toEqual({ settings: { accessTokenTtl: 600, branding: { color: '#123456' } } });
  expect(fieldPaths(found)).toEqual(['settings.accessTokenTtl', 'settings.branding.color']);
  expect(changed({ allowedOrigins: ['https://a.example'] })).toEqual({});
});
