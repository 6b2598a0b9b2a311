/** The version of Gatehouse; a test keeps it equal to package.json's. */
export const VERSION = '0.1.0';

/** The `User-Agent` of every delivery. */
export const webhookUserAgent = `Gatehouse-Webhooks/${VERSION}`;
