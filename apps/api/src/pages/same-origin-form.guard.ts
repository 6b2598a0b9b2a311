import { isIP } from 'node:net';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { GatehouseError, parseUrl, parseValidUrl } from '@gatehouse/domain';
import { Config } from '@gatehouse/platform';
import { isSafeMethod } from '../http/console-request.js';
import type { GatehouseRequest } from '../http/request-context.js';

type OriginSettings = Pick<Config, 'publicUrl' | 'production'>;

/** Rejects submissions of hosted forms from other origins. */
@Injectable()
export class SameOriginFormGuard implements CanActivate {
  constructor(private readonly config: Config) {}

  /** @throws GatehouseError `origin_not_allowed` */
  canActivate(context: ExecutionContext): boolean {
    assertSameOriginForm(context.switchToHttp().getRequest<GatehouseRequest>(), this.config);
    return true;
  }
}

/**
 * Rejects a form submission from another origin (ADR 0084). Browsers send `Sec-Fetch-Site` only over https and to
 * loopback, and `Origin` with every form. Other clients send neither.
 * @throws GatehouseError `origin_not_allowed`
 */
export function assertSameOriginForm({ method, headers }: GatehouseRequest, settings: OriginSettings): void {
  if (isSafeMethod(method)) return;
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') throw new GatehouseError('origin_not_allowed');
  // Pages from earlier versions, which may still be open after an upgrade, have a referrer policy that hides their
  // origin. Browsers never send `same-origin` for a page with an opaque origin.
  const isHidden = origin === 'null' && site === 'same-origin';
  if (origin === undefined || isHidden || isGatehouseOrigin(origin, host, settings)) return;
  throw new GatehouseError('origin_not_allowed');
}

function isGatehouseOrigin(
  origin: string,
  host: string | undefined,
  { publicUrl, production }: OriginSettings,
): boolean {
  if (origin === parseValidUrl(publicUrl).origin) return true;
  const url = production ? null : parseUrl(origin);
  if (!url) return false;
  // Any other host name could belong to an attacker and resolve to this address (DNS rebinding).
  const { origin: serialized, host: originHost, hostname } = url;
  const isLocal = hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  return isLocal && origin === serialized && originHost === host;
}
