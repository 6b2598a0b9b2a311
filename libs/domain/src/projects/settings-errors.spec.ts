import { effectiveSettings, type StoredSettings } from './project-settings.js';
import { settingsErrors } from './settings-errors.js';
import { applySettingsPatch, type SettingsPatch } from './settings-patch.js';

const origins = ['https://a.example', 'http://localhost:5173'];
const plain = { allowedOrigins: [...origins, 'http://192.168.1.5:5173'] };
const long = { refreshIdleTtl: 8_000_000, refreshAbsoluteTtl: 9_000_000 };

it.each<[string, StoredSettings, SettingsPatch, string[], boolean?]>([
  ['idle as long as absolute', {}, { refreshIdleTtl: 600, refreshAbsoluteTtl: 600 }, []],
  ['idle longer', {}, { refreshIdleTtl: 601, refreshAbsoluteTtl: 600 }, ['refreshIdleTtl']],
  ['idle longer than the default', {}, { refreshIdleTtl: 7_776_001 }, ['refreshIdleTtl']],
  ['absolute shorter than the default', {}, { refreshAbsoluteTtl: 2_591_999 }, ['refreshAbsoluteTtl']],
  [
    'idle reset',
    { refreshIdleTtl: 300, refreshAbsoluteTtl: 600 },
    { refreshIdleTtl: null },
    ['refreshIdleTtl'],
  ],
  ['absolute reset', long, { refreshAbsoluteTtl: null }, ['refreshAbsoluteTtl']],
  [
    'another setting while the stored settings are invalid',
    { refreshIdleTtl: 9_000_000 },
    { passwordMinLength: 10 },
    [],
  ],
  ['https and local origins in production', {}, { allowedOrigins: origins }, [], true],
  ['plain http outside production', {}, plain, []],
  [
    'plain http in production',
    {},
    { ...plain, refreshIdleTtl: 7_776_001 },
    ['allowedOrigins', 'refreshIdleTtl'],
    true,
  ],
])('settingsErrors: %s', (_, stored, patch, fields, production = false) => {
  const errors = settingsErrors(patch, applySettingsPatch(effectiveSettings(stored), patch), { production });
  expect(errors.map(({ field }) => field)).toEqual(fields.map((field) => `settings.${field}`));
});
