import { Injectable } from '@nestjs/common';
import type { Organization } from '@gatehouse/domain';
import { Config, Keyring, now, readSignedJson, signJson } from '@gatehouse/platform';
import type { BillingPortal, PortalSession } from './billing-portal.js';

const LIFETIME_MS = 30 * 60_000;

/** Payload of the token in the built-in page's URL. */
export interface PortalVisit {
  organizationId: string;
  returnUrl: string;
  isExpired: boolean;
}

type PortalToken = [organizationId: string, returnUrl: string, expiresAt: number];

/** The portal for an installation without a billing provider: one hosted page, opened with a stateless token. */
@Injectable()
export class BuiltInBilling implements BillingPortal {
  constructor(
    private readonly config: Config,
    private readonly keyring: Keyring,
  ) {}

  open({ id }: Organization, returnUrl: string): Promise<PortalSession> {
    const expiresAt = new Date(now().getTime() + LIFETIME_MS);
    const content: PortalToken = [id, returnUrl, expiresAt.getTime()];
    const token = signJson(this.keyring, 'billing-portal', content);
    return Promise.resolve({ url: `${this.config.publicUrl}/billing-portal?token=${token}`, expiresAt });
  }

  /** Returns a token's payload, or null if Gatehouse did not create the token. */
  readToken(token: string): PortalVisit | null {
    const content = readSignedJson(this.keyring, 'billing-portal', token) as PortalToken | null;
    if (!content) return null;
    const [organizationId, returnUrl, expiresAt] = content;
    return { organizationId, returnUrl, isExpired: expiresAt <= now().getTime() };
  }
}
