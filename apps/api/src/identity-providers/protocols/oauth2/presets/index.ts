import { discord } from './discord.js';
import { github } from './github.js';

/** The provider types with OAuth 2.0 and their own API. */
export const oauth2Presets = { github, discord };
