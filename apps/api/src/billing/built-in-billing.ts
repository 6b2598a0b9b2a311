import { Injectable } from '@nestjs/common';
import type { Organization } from '@gatehouse/domain';
import { Config, Keyring, now } from '@gatehouse/platform';
import type { BillingPortal, PortalSession } from './billing-portal.js';

const LIFETIME_MS = 30 * 60_000;

/** What the URL of the built-in page says. */
export interface PortalVisit {
  organizationId: string;
  returnUrl: string;
  isExpired: boolean;
}

/** The portal of a house without a billing provider: one hosted page, opened by a token that needs no memory. */
@Injectable()
export class BuiltInBilling implements BillingPortal {
  constructor(
    private readonly config: Config,
    private readonly keyring: Keyring,
  ) {}

  open({ id }: Organization, returnUrl: string): Promise<PortalSession> {
    const expiresAt = new Date(now().getTime() + LIFETIME_MS);
    const said = Buffer.from(JSON.stringify([id, returnUrl, expiresAt.getTime()])).toString('base64url');
    const token = `${said}.${this.keyring.mac('billing-portal', said).toString('base64url')}`;
    return Promise.resolve({ url: `${this.config.publicUrl}/billing-portal?token=${token}`, expiresAt });
  }

  /** What a token says; null for one that was not made here. */
  readToken(token: string): PortalVisit | null {
    const [said = '', mac = '', ...more] = token.split('.');
    const isOurs = this.keyring.verifyMac('billing-portal', said, Buffer.from(mac, 'base64url'));
    if (!isOurs || more.length > 0) return null;
    const text = Buffer.from(said, 'base64url').toString();
    const [organizationId, returnUrl, expiresAt] = JSON.parse(text) as [string, string, number];
    return { organizationId, returnUrl, isExpired: expiresAt <= now().getTime() };
  }
}
