export * from './batching/batcher.js';
export * from './batching/keyed-lock.js';
export * from './clock/clock.js';
export * from './config/config.js';
export { configWarnings, type ConfigWarning } from './config/config-warnings.js';
export { settings } from './config/settings.js';
export * from './crypto/alert-secrets.js';
export * from './crypto/base64url.js';
export * from './crypto/cursor-codec.js';
export * from './crypto/hash-threads.js';
export * from './crypto/hashes.js';
export * from './crypto/imported-hash.js';
export * from './crypto/keyring.js';
export * from './crypto/generate-api-key.js';
export * from './crypto/new-token.js';
export * from './crypto/password-hasher.js';
export * from './crypto/random.js';
export * from './crypto/read-signing-key.js';
export * from './crypto/recovery-codes.js';
export * from './crypto/totp.js';
export * from './crypto/webhook-signature.js';
export * from './errors.js';
export * from './failpoints.js';
export * from './http/blocked-address.error.js';
export * from './http/no-address.error.js';
export * from './http/deadline.js';
export * from './http/domain-lookup.js';
export * from './http/outbound-client.js';
export * from './http/outbound-fetch.js';
export * from './http/outbound-response.js';
export * from './limits/rate-limiter.js';
export * from './logging/logger.js';
export * from './logging/nest-logger.js';
export * from './mail/escape-html.js';
export * from './mail/mail-kinds.js';
export * from './mail/mail-templates.js';
export * from './mail/mail-texts.js';
export * from './mail/mailer.js';
export {
  operatorNoticeActions,
  type AdminAction,
  type OperatorNotice,
  type OwnAction,
} from './mail/operator-notices.js';
export * from './mail/sender.js';
export * from './mail/smtp-failure.js';
export * from './metrics/api-metrics.js';
export * from './metrics/metrics.js';
export * from './metrics/metrics-server.js';
export * from './metrics/worker-metrics.js';
export * from './passkeys/public-key.js';
export * from './passkeys/webauthn.js';
export * from './queue/delivery-queue.js';
export * from './queue/load-delivery-queue.js';
export * from './platform.module.js';
export * from './run-process.js';
export * from './test-commands.js';
export * from './version.js';
