import type { RequestHandler } from 'express';
import { now, type Logger } from '@gatehouse/platform';

/**
 * Counts requests with `X-Forwarded-For` from a peer that is not a trusted proxy. The peer may be the installation's
 * own proxy, missing from TRUSTED_PROXIES. All clients then share the proxy's address. No address is stored.
 */
export class UntrustedForwards {
  /** Number of these requests since the process started. */
  count = 0;
  lastAt: Date | null = null;

  /** Returns middleware that counts these requests and logs the first one. */
  createMiddleware(logger: Logger): RequestHandler {
    return (request, _response, next) => {
      if (request.headers['x-forwarded-for'] !== undefined && !isTrustedPeer(request)) {
        if (this.count === 0)
          logger.warn({ setting: 'TRUSTED_PROXIES' }, 'X-Forwarded-For from an untrusted peer ignored');
        this.count += 1;
        this.lastAt = now();
      }
      next();
    };
  }
}

/** Returns true if Express trusts the peer's header, according to TRUSTED_PROXIES. */
function isTrustedPeer({ app, socket }: Parameters<RequestHandler>[0]): boolean {
  const isTrusted = app.get('trust proxy fn') as (address: string | undefined, hop: number) => boolean;
  return isTrusted(socket.remoteAddress, 0);
}
