export type { AccessTokenClaims } from './access-token-claims.js';
export type { AuthConditions } from './conditions.js';
export { createServer, type Gatehouse, type ServerOptions, type VouchOptions } from './create-server.js';
export type { ExportedCustomer } from './customer-export.js';
export type { ImportedCustomer } from './customer-import.js';
export type { Duration } from './duration.js';
export { GatehouseError, type ErrorCode, type FieldError, type Problem } from './gatehouse-error.js';
export type { CustomerMiddleware } from './require-customer.js';
export { problemResponse } from './respond.js';
export type {
  Events,
  EventType,
  WebhookEvent,
  WebhookHandler,
  WebhookHandlers,
  WebhookOptions,
} from './webhook.js';
export type { Page, Pages } from './pages.js';
export type { RevocationOptions, Revocations } from './revocations.js';
export type { CallOptions, RequestOptions } from './typed-request.js';
export type { components, paths } from './openapi.js';
export type { IterateOptions } from './event-feed.js';
