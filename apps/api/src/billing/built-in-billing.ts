import { Injectable } from '@nestjs/common';
import type { Organization } from '@gatehouse/domain';
import { Config, decodeBase64Url, Keyring, now } from '@gatehouse/platform';
import type { BillingPortal, PortalSession } from './billing-portal.js';

const LIFETIME_MS = 30 * 60_000;

/** The content of the token in the URL of the built-in page. */
export interface PortalVisit {
  organizationId: string;
  returnUrl: string;
  isExpired: boolean;
}

/**
 * The portal of an installation without a billing provider: one hosted page, opened with a stateless token.
 */
@Injectable()
export class BuiltInBilling implements BillingPortal {
  constructor(
    private readonly config: Config,
    private readonly keyring: Keyring,
  ) {}

  open({ id }: Organization, returnUrl: string): Promise<PortalSession> {
    const expiresAt = new Date(now().getTime() + LIFETIME_MS);
    const payload = Buffer.from(JSON.stringify([id, returnUrl, expiresAt.getTime()])).toString('base64url');
    const token = `${payload}.${this.keyring.mac('billing-portal', payload).toString('base64url')}`;
    return Promise.resolve({ url: `${this.config.publicUrl}/billing-portal?token=${token}`, expiresAt });
  }

  /** Returns the content of a token; null for a token that Gatehouse did not create. */
  readToken(token: string): PortalVisit | null {
    const [payload = '', mac = '', ...rest] = token.split('.');
    const macBytes = decodeBase64Url(mac);
    const isAuthentic = macBytes && this.keyring.verifyMac('billing-portal', payload, macBytes);
    if (!isAuthentic || rest.length > 0) return null;
    const text = Buffer.from(payload, 'base64url').toString();
    const [organizationId, returnUrl, expiresAt] = JSON.parse(text) as [string, string, number];
    return { organizationId, returnUrl, isExpired: expiresAt <= now().getTime() };
  }
}
