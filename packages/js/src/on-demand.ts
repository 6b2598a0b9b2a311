// The parts that are loaded on demand. Each part has one function, so that bundlers write its code once.
export const loadPasskeys = () => import('./passkeys.js');
export const loadRedirects = () => import('./redirects.js');
