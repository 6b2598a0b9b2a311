import { apple } from './apple.js';
import { gitlab } from './gitlab.js';
import { google } from './google.js';
import { microsoft } from './microsoft.js';
import { oidc } from './oidc.js';

/** The provider types with OpenID Connect. */
export const openIdConnectPresets = { google, microsoft, apple, gitlab, oidc };
