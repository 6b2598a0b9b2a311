import { effectiveSettings, type StoredSettings } from './project-settings.js';
import { settingsFaults } from './settings-faults.js';
import { patchSettings, type SettingsPatch } from './settings-patch.js';

const faultyFields = (stored: StoredSettings, patch: SettingsPatch, production = false) =>
  settingsFaults(patch, patchSettings(effectiveSettings(stored), patch), { production }).map(
    ({ field }) => field,
  );

describe('settingsFaults', () => {
  it('the idle life of a session may be as long as the absolute one', () => {
    expect(faultyFields({}, { refreshIdleTtl: 600, refreshAbsoluteTtl: 600 })).toEqual([]);
  });

  it.each<[StoredSettings, SettingsPatch, string]>([
    [{}, { refreshIdleTtl: 601, refreshAbsoluteTtl: 600 }, 'settings.refreshIdleTtl'],
    [{}, { refreshIdleTtl: 7_776_001 }, 'settings.refreshIdleTtl'],
    [{}, { refreshAbsoluteTtl: 2_591_999 }, 'settings.refreshAbsoluteTtl'],
    [{ refreshIdleTtl: 300, refreshAbsoluteTtl: 600 }, { refreshIdleTtl: null }, 'settings.refreshIdleTtl'],
    [
      { refreshIdleTtl: 8_000_000, refreshAbsoluteTtl: 9_000_000 },
      { refreshAbsoluteTtl: null },
      'settings.refreshAbsoluteTtl',
    ],
  ])('with %j stored, %j lays the fault to %s', (stored, patch, field) => {
    expect(faultyFields(stored, patch)).toEqual([field]);
  });

  it('what was stored before keeps nobody from changing something else', () => {
    expect(faultyFields({ refreshIdleTtl: 9_000_000 }, { passwordMinLength: 10 })).toEqual([]);
  });

  it('production refuses origins of plain http, but for this machine', () => {
    const origins = ['https://a.example', 'http://localhost:5173'];
    expect(faultyFields({}, { allowedOrigins: origins }, true)).toEqual([]);
    const plain = { allowedOrigins: [...origins, 'http://192.168.1.5:5173'] };
    expect(faultyFields({}, plain)).toEqual([]);
    expect(faultyFields({}, { ...plain, refreshIdleTtl: 7_776_001 }, true)).toEqual([
      'settings.allowedOrigins',
      'settings.refreshIdleTtl',
    ]);
  });
});
