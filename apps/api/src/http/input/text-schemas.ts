import {
  isLogoUrl,
  isOriginEntry,
  isPageUrl,
  isRedirectUrlEntry,
  isReturnUrl,
  isSlug,
  isUuid,
  publicId,
  publicIdPattern,
  slugPattern,
  type PrefixedIdKind,
} from '@gatehouse/domain';

/** JSON Schema keywords for strings that several requests and responses contain. */

/** The id in documentation examples. */
export const EXAMPLE_ID = '019aa2c0-7d1e-7000-8000-000000000000';

/** A prefixed id in the `/v1` family. */
export const publicIdSchema = (kind: PrefixedIdKind) => ({
  type: 'string' as const,
  pattern: publicIdPattern(kind),
  example: publicId(kind, EXAMPLE_ID),
});

/** A prefixed id in the `/v1` family, or null. */
export const nullablePublicIdSchema = (kind: PrefixedIdKind) => ({
  type: 'string' as const,
  pattern: publicIdPattern(kind),
  nullable: true,
});

/** A domain name in lowercase. */
export const domainSchema = { pattern: '^[a-z0-9.-]+$' };

export const slugSchema = { pattern: slugPattern.source, minLength: 3, maxLength: 48 };

const MAX_URL_LENGTH = 2048;
export const urlSchema = { format: 'uri', maxLength: MAX_URL_LENGTH };

/** A URL that receives webhooks. */
export const targetUrlSchema = { ...urlSchema, pattern: '^https?://' };

const MAX_CURSOR_LENGTH = 1200;
/** An opaque cursor, in base64url. */
export const cursorSchema = { pattern: '^[A-Za-z0-9_-]+$', minLength: 1, maxLength: MAX_CURSOR_LENGTH };

/** JSON Schema keywords for the strings that a check accepts. */
export const schemasByCheck = new Map<(text: string) => boolean, object>([
  [isUuid, { format: 'uuid' }],
  [isSlug, slugSchema],
  ...[isLogoUrl, isOriginEntry, isPageUrl, isRedirectUrlEntry, isReturnUrl].map(
    (isUrl) => [isUrl, urlSchema] as const,
  ),
]);
