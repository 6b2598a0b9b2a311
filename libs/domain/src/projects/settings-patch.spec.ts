import { defaultSettings, effectiveSettings } from './project-settings.js';
import { changedFields, fieldNames, patchSettings, storedSettings } from './settings-patch.js';

const settings = effectiveSettings({
  accessTokenTtl: 600,
  allowedOrigins: ['https://a.example'],
  branding: { displayName: 'Shop', color: '#123456' },
});

describe('patchSettings', () => {
  it('changes what is sent and leaves the rest', () => {
    const patched = patchSettings(settings, { passwordMinLength: 12, branding: { color: '#abcdef' } });
    expect(patched).toEqual({
      ...settings,
      passwordMinLength: 12,
      branding: { displayName: 'Shop', logoUrl: null, color: '#abcdef' },
    });
  });

  it('null brings a setting back to its default, alone or with its group', () => {
    expect(patchSettings(settings, { accessTokenTtl: null, branding: { color: null } })).toEqual({
      ...settings,
      accessTokenTtl: 3600,
      branding: { displayName: 'Shop', logoUrl: null, color: null },
    });
    expect(patchSettings(settings, { branding: null, allowedOrigins: null })).toMatchObject({
      branding: defaultSettings.branding,
      allowedOrigins: [],
    });
  });

  it('a list replaces the list', () => {
    const patched = patchSettings(settings, { allowedOrigins: ['https://b.example'] });
    expect(patched.allowedOrigins).toEqual(['https://b.example']);
  });

  it('what is not set changes nothing', () => {
    expect(patchSettings(settings, { accessTokenTtl: undefined, branding: {} })).toEqual(settings);
  });

  it('leaves what it was given as it was', () => {
    const [before, defaults] = [structuredClone(settings), structuredClone(defaultSettings)];
    patchSettings(settings, {
      accessTokenTtl: 60,
      branding: { color: '#000000' },
      mail: { fromName: 'Shop' },
    });
    expect(settings).toEqual(before);
    expect(defaultSettings).toEqual(defaults);
  });
});

describe('storedSettings', () => {
  it('are what differs from the defaults, and give the same settings again', () => {
    const stored = storedSettings(settings);
    expect(stored).toEqual({
      accessTokenTtl: 600,
      allowedOrigins: ['https://a.example'],
      branding: { displayName: 'Shop', color: '#123456' },
    });
    expect(effectiveSettings(stored)).toEqual(settings);
    expect(storedSettings(defaultSettings)).toEqual({});
  });
});

describe('changedFields', () => {
  it('are the old values of what is new, at every level', () => {
    const before = { name: 'Shop', settings };
    const after = {
      ...before,
      settings: patchSettings(settings, { accessTokenTtl: 60, branding: { color: null } }),
    };
    expect(changedFields(before, after)).toEqual({
      settings: { accessTokenTtl: 600, branding: { color: '#123456' } },
    });
    expect(fieldNames(changedFields(before, after))).toEqual([
      'settings.accessTokenTtl',
      'settings.branding.color',
    ]);
    const same = { ...before, settings: patchSettings(settings, { allowedOrigins: ['https://a.example'] }) };
    expect(changedFields(before, same)).toEqual({});
  });
});
