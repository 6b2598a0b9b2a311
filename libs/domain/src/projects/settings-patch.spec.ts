import { defaultSettings, effectiveSettings } from './project-settings.js';
import { changedFields, fieldPaths, applySettingsPatch, toStoredSettings } from './settings-patch.js';

const stored = {
  accessTokenTtl: 600,
  allowedOrigins: ['https://a.example'],
  branding: { displayName: 'Shop', color: '#123456' },
};
const settings = effectiveSettings(stored);
const branding = { displayName: 'Shop', logoUrl: null, color: '#123456' };

describe('patchSettings', () => {
  it.each([
    ['nothing', { accessTokenTtl: undefined, branding: {} }, {}],
    [
      'what is sent',
      { passwordMinLength: 12, branding: { color: '#abcdef' } },
      { passwordMinLength: 12, branding: { ...branding, color: '#abcdef' } },
    ],
    [
      'null to the default',
      { accessTokenTtl: null, branding: { color: null } },
      { accessTokenTtl: 3600, branding: { ...branding, color: null } },
    ],
    [
      'a group of null to its defaults',
      { branding: null, allowedOrigins: null },
      { branding: defaultSettings.branding, allowedOrigins: [] },
    ],
    ['a whole list', { allowedOrigins: ['https://b.example'] }, { allowedOrigins: ['https://b.example'] }],
  ])('changes %s, and nothing it was given', (_, patch, changed) => {
    const before = structuredClone([settings, defaultSettings]);
    expect(applySettingsPatch(settings, patch)).toEqual({ ...settings, ...changed });
    expect([settings, defaultSettings]).toEqual(before);
  });
});

it('storedSettings are what differs from the defaults, and result in the same settings', () => {
  expect(toStoredSettings(settings)).toEqual(stored);
  expect(toStoredSettings(defaultSettings)).toEqual({});
});

it('changedFields are the old values of what changed, at every level', () => {
  const before = { name: 'Shop', settings };
  const changed = (patch: object) =>
    changedFields(before, { ...before, settings: applySettingsPatch(settings, patch) });
  const found = changed({ accessTokenTtl: 60, branding: { color: null } });
  expect(found).toEqual({ settings: { accessTokenTtl: 600, branding: { color: '#123456' } } });
  expect(fieldPaths(found)).toEqual(['settings.accessTokenTtl', 'settings.branding.color']);
  expect(changed({ allowedOrigins: ['https://a.example'] })).toEqual({});
});
