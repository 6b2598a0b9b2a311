import type { AccessTokenClaims } from './access-token-claims.js';

/** The fields of an event that revokes tokens. */
export interface RevokingEvent {
  type: string;
  /** Timestamp in ISO 8601 format. */
  created_at: string;
  /** Does not contain resources that have been erased. */
  data: Record<string, unknown>;
}

/** The event types for `RevokingEvent`. */
export const REVOKING_TYPES = ['session.revoked', 'customer.disabled', 'customer.deleted'];

/** The sessions and customers whose tokens are revoked, each kept until its last token has expired. */
export class RevokedSessions {
  private readonly sessions = new Map<string, number>();
  /** Revocation times by customer, because newer tokens are valid if the customer has been enabled again. */
  private readonly customers = new Map<string, number>();

  /** @param tokenLifetime maximum access token lifetime, in ms */
  constructor(private readonly tokenLifetime: number) {}

  add({ type, created_at: createdAt, data }: RevokingEvent): void {
    const revokedAt = Date.parse(createdAt);
    if (type === 'session.revoked') remember(this.sessions, idOf(data['session']), revokedAt);
    else remember(this.customers, idOf(data['customer']), revokedAt);
  }

  has({ sid, sub, customer_id: customerId = sub, iat }: AccessTokenClaims): boolean {
    return this.sessions.has(sid) || iat * 1_000 <= (this.customers.get(customerId) ?? -Infinity);
  }

  /**
   * Removes sessions and customers that were revoked so long ago that all of their tokens have expired.
   * @param now ms since 1970
   */
  removeExpired(now: number): void {
    for (const entries of [this.sessions, this.customers])
      for (const [id, revokedAt] of entries) if (revokedAt + this.tokenLifetime < now) entries.delete(id);
  }

  /** The number of entries in memory. */
  get size(): number {
    return this.sessions.size + this.customers.size;
  }
}

const idOf = (resource: unknown): string | undefined => (resource as { id?: string } | undefined)?.id;

function remember(entries: Map<string, number>, id: string | undefined, revokedAt: number): void {
  if (id !== undefined) entries.set(id, Math.max(revokedAt, entries.get(id) ?? 0));
}
