// The parts that are loaded on demand. Each has a single import, so that bundlers emit its code only once.
export const loadPasskeys = () => import('./passkeys.js');
export const loadRedirects = () => import('./redirects.js');
