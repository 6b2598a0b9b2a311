import { discord } from './discord.js';
import { github } from './github.js';

/** The types of providers with OAuth 2.0 and an API of their own. */
export const oauth2Presets = { github, discord };
