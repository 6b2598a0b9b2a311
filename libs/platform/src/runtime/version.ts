/** The Gatehouse version. A test checks that it equals the version in package.json. */
export const VERSION = '0.2.0';

/** The `User-Agent` header of deliveries. */
export const webhookUserAgent = `Gatehouse-Webhooks/${VERSION}`;

/** The `User-Agent` header of all other requests. GitHub rejects requests without one. */
export const userAgent = `Gatehouse/${VERSION}`;
