import type { IdentityProviderType } from '../identity-provider.js';
import type { ProviderPreset } from '../provider-preset.js';
import { apple } from './apple.js';
import { discord } from './discord.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { google } from './google.js';
import { microsoft } from './microsoft.js';
import { oidc } from './oidc.js';

/** Every type of identity provider. */
export const providerPresets: Readonly<Record<IdentityProviderType, ProviderPreset>> = {
  google,
  github,
  microsoft,
  apple,
  gitlab,
  discord,
  oidc,
};
