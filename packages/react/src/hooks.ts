export type { Appearance, AppearanceVariables } from './appearance.js';
export type { Redirect } from './gatehouse-context.js';
export { GatehouseProvider, type GatehouseProviderProps } from './gatehouse-provider.js';
export type { Localization, Texts } from './localization/texts.js';
export { Loading, SignedIn, SignedOut } from './signed-in.js';
export { useAuth, useRedirect, type Auth } from './use-auth.js';
export { useCustomer, type CustomerProfile } from './use-customer.js';
