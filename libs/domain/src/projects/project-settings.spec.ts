import { effectiveSettings } from './project-settings.js';

describe('effectiveSettings', () => {
  it('are the defaults of the contract when nothing was changed', () => {
    expect(effectiveSettings({})).toMatchObject({
      allowedOrigins: [],
      redirectUrls: [],
      requireVerifiedEmail: false,
      enumerationProtection: false,
      accessTokenTtl: 3600,
      refreshIdleTtl: 30 * 86_400,
      refreshAbsoluteTtl: 90 * 86_400,
      passwordMinLength: 8,
    });
  });

  it('are what the project changed, over the defaults', () => {
    const settings = effectiveSettings({ accessTokenTtl: 60, requireVerifiedEmail: true });
    expect(settings).toMatchObject({ accessTokenTtl: 60, requireVerifiedEmail: true, passwordMinLength: 8 });
  });

  it('of one project never reach another', () => {
    effectiveSettings({ accessTokenTtl: 60 }).passwordMinLength = 1;
    expect(effectiveSettings({})).toMatchObject({ accessTokenTtl: 3600, passwordMinLength: 8 });
  });
});
