export { createClient, type Client } from './client.js';
export type { ClientOptions, RandomSource } from './client-core.js';
export { GatehouseError, sessionEndingCodes, type FieldError } from './gatehouse-error.js';
export type { Page, PagedList } from './pages.js';
export type { RedirectTarget, SignInUrlOptions } from './redirects.js';
export { localStorageStorage, memoryStorage, type ClientStorage } from './storage.js';
export type * from './types.js';
