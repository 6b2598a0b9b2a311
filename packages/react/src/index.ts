export * from './hooks.js';
export { de } from './localization/de.js';
export { en } from './localization/en.js';
