// The parts that are loaded when they are needed. A function per part, so that bundlers write its code once.
export const loadPasskeys = () => import('./passkeys.js');
export const loadRedirects = () => import('./redirects.js');
