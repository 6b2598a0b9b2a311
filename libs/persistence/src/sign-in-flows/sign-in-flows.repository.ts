// Raw SQL: times from the database clock, and a conditional delete that returns the row.
import {
  SIGN_IN_FLOW_TTL,
  type AuthenticationMethod,
  type ExchangeTarget,
  type ProviderProfile,
} from '@gatehouse/domain';
import { issuedAtFor } from '../customers/access-revocation-sql.js';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import {
  arrayOf,
  bytea,
  jsonb,
  nullable,
  statement,
  textOf,
  timestamptz,
  uuid,
  type RowOf,
} from '../sql/statements.js';

/** The values that a flow is bound to. The secret is rejected if any of them differs. */
export interface FlowKey {
  /** The secret's SHA-256. */
  secretHash: Buffer;
  projectId: string;
  target: ExchangeTarget;
}

/** A flow whose sign-in is not complete yet, with the profile that a provider has returned. */
export interface ProfileFlow {
  providerId: string;
  profile: ProviderProfile;
  /** Time at which the client began the sign-in. */
  requestedAt: Date;
  /** SHA-256 of the cookie in the browser that began the sign-in, or null. */
  browserHash: Buffer | null;
}

/** A flow with a customer who has completed the sign-in but not returned to the application yet. */
export interface CustomerFlow {
  customerId: string;
  providerId: string | null;
  amr: AuthenticationMethod[];
}

const flowRow = {
  secretHash: bytea,
  customerId: nullable(uuid),
  providerId: nullable(uuid),
  profile: nullable(jsonb<ProviderProfile>()),
  amr: nullable(arrayOf(textOf<AuthenticationMethod>())),
  browserHash: nullable(bytea),
  requestedAt: timestamptz,
  provenAt: nullable(timestamptz),
};

/** A pending sign-in on the hosted page. */
export type SignInFlow = RowOf<typeof flowRow>;

/** A new flow's columns. Its secret, project and target are the first five parameters. */
const insertColumns = `
  INSERT INTO sign_in_flows (secret_hash, project_id, redirect_url, code_challenge, application_state, expires_at,
    requested_at, proven_at, customer_id, provider_id, profile, amr, browser_hash)`;
const commonValues = `$1, $2, $3, $4, $5, now() + interval '${SIGN_IN_FLOW_TTL} seconds'`;

const insertUnprovenFlow = statement(
  {},
  `${insertColumns} VALUES (${commonValues}, now(), NULL, $6, NULL, NULL, NULL, NULL)`,
);

const insertProfileFlow = statement(
  {},
  `${insertColumns} VALUES (${commonValues}, $6, now(), NULL, $7, $8, NULL, $9)`,
);

const insertCustomerFlow = statement(
  {},
  `${insertColumns} VALUES (${commonValues}, ${issuedAtFor('$6')}, now(), $6, $7, NULL, $8, NULL)`,
);

const findFlow = statement(
  flowRow,
  `SELECT secret_hash AS "secretHash", customer_id AS "customerId", provider_id AS "providerId", profile, amr,
     browser_hash AS "browserHash", requested_at AS "requestedAt", proven_at AS "provenAt"
   FROM sign_in_flows
   WHERE secret_hash = $1 AND project_id = $2 AND redirect_url = $3 AND code_challenge = $4
     AND application_state IS NOT DISTINCT FROM $5 AND purpose = 'sign_in' AND expires_at > now()`,
);

const consumeFlow = statement(
  { secretHash: bytea },
  'DELETE FROM sign_in_flows WHERE secret_hash = $1 RETURNING secret_hash AS "secretHash"',
);

const keyValues = ({ secretHash, projectId, target }: FlowKey): unknown[] => [
  secretHash,
  projectId,
  target.redirectUrl,
  target.codeChallenge,
  target.state ?? null,
];

/** Pending sign-ins on the hosted page (ADR 0048). */
export class SignInFlowsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts a flow that is completed with an emailed code or with the customer's second factor. */
  async insertUnproven(tx: Tx, key: FlowKey, customerId: string | null): Promise<void> {
    await tx.execute(insertUnprovenFlow, [...keyValues(key), customerId]);
  }

  /** Inserts a flow with a profile from a provider. */
  async insertWithProfile(
    tx: Tx,
    key: FlowKey,
    { requestedAt, providerId, profile, browserHash }: ProfileFlow,
  ): Promise<void> {
    const values = [requestedAt, providerId, JSON.stringify(profile), browserHash];
    await tx.execute(insertProfileFlow, [...keyValues(key), ...values]);
  }

  /** Inserts a flow with a customer whose row the transaction has locked. */
  async insertWithCustomer(
    tx: Tx,
    key: FlowKey,
    { customerId, providerId, amr }: CustomerFlow,
  ): Promise<void> {
    await tx.execute(insertCustomerFlow, [...keyValues(key), customerId, providerId, amr]);
  }

  /** Returns a flow, or null if it is unknown, expired, consumed or bound to different values. */
  async find(key: FlowKey): Promise<SignInFlow | null> {
    const [row] = await this.database.execute(findFlow, keyValues(key));
    return row ?? null;
  }

  /**
   * Consumes a flow that `find` has returned. If calls run in parallel, exactly one returns true. The caller must
   * have locked the customer: to prevent deadlocks, every transaction locks the customer before the flow.
   */
  async consume(tx: Tx, secretHash: Buffer): Promise<boolean> {
    const rows = await tx.execute(consumeFlow, [secretHash]);
    return rows.length > 0;
  }
}
