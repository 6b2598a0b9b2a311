import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  hasSignedInSince,
  readClaimValues,
  readEmail,
  readPersonName,
  type ProviderClaims,
} from '@gatehouse/domain';
import { OAuthFlowsRepository } from '@gatehouse/persistence';
import {
  Config,
  Keyring,
  now,
  readSignedJson,
  secureBytes,
  sha256,
  signJson,
  type OperatorOidcConfig,
} from '@gatehouse/platform';
import type { OidcFlowCookie } from './oidc-flow-cookie.js';
import type { FlowState, ProtocolProvider } from '../identity-providers/protocols/identity-protocol.js';
import { IdentityProtocolsService } from '../identity-providers/protocols/identity-protocols.service.js';
import { SingleSignOnRejection } from './single-sign-on-rejection.js';

/** Time limit for a sign-in at the provider, in seconds. */
const FLOW_TTL = 10 * 60;

/** Purpose of a flow at the provider, and where the browser continues afterwards. */
export interface OidcPurpose {
  /** Path within the console at which the browser continues after a sign-in. */
  to: string;
  /** True if the sign-in has a separate window, which the operator closes afterwards. */
  isSeparateWindow: boolean;
  /** The session to reauthenticate; null for a sign-in. */
  session: { operatorId: string; sessionId: string } | null;
}

interface OidcFlow extends OidcPurpose {
  state: string;
  /** Protocol state. */
  flowState: FlowState;
  /** Unix time, in seconds. */
  startedAt: number;
}

/**
 * Starts and finishes sign-ins at the OpenID Provider. A signed cookie in the browser contains the flow, and the
 * database stores the hash of its state until the sign-in ends (ADR 0085).
 */
@Injectable()
export class OidcFlowsService {
  constructor(
    private readonly flows: OAuthFlowsRepository,
    private readonly protocols: IdentityProtocolsService,
    private readonly keyring: Keyring,
    private readonly config: Config,
  ) {}

  /** @throws GatehouseError `not_found` if single sign-on is not configured */
  get settings(): OperatorOidcConfig {
    if (!this.config.operatorOidc) throw new GatehouseError('not_found');
    return this.config.operatorOidc;
  }

  /**
   * Returns the provider's URL, which must redirect to the callback within ten minutes.
   * @throws GatehouseError `not_found`, `provider_unavailable`, `sign_in_failed`
   */
  async begin(purpose: OidcPurpose, cookie: OidcFlowCookie): Promise<string> {
    const state = secureBytes(32).toString('base64url');
    const { callbackUrl, provider } = this;
    const again = purpose.session ? { maxAge: 0, promptsLogin: true } : {};
    const { url, flowState } = await this.protocols.begin(provider, { callbackUrl, state, ...again });
    await this.flows.insertForOperator(sha256(state), FLOW_TTL);
    const flow: OidcFlow = { state, flowState, ...purpose, startedAt: currentSeconds() };
    // Earlier versions read the protocol state from the top level.
    cookie.set(signJson(this.keyring, 'operator-oidc', { ...flowState, ...flow }), FLOW_TTL);
    return url;
  }

  /**
   * Ends the browser's flow and returns it. Only one of several concurrent calls succeeds.
   * @throws SingleSignOnRejection `expired` if the browser did not start this flow, or if the flow has ended or expired
   */
  async end(cookie: OidcFlowCookie, { state }: Readonly<Record<string, string>>): Promise<OidcFlow> {
    const { value } = cookie;
    const flow = value && (readSignedJson(this.keyring, 'operator-oidc', value) as OidcFlow | null);
    if (!flow || flow.state !== state) throw new SingleSignOnRejection('expired');
    cookie.clear();
    // The state is random, and the row is the only proof that no other request has used it.
    if (!(await this.flows.consumeForOperator(sha256(flow.state))))
      throw new SingleSignOnRejection('expired');
    return { ...flow, flowState: flow.flowState ?? flow };
  }

  /**
   * Returns the claims about the operator who has signed in at the provider.
   * @throws SingleSignOnRejection `access_denied`, `not_reauthenticated`; GatehouseError `provider_unavailable`,
   * `sign_in_failed`
   */
  async loadClaims(flow: OidcFlow, parameters: Readonly<Record<string, string>>): Promise<ProviderClaims> {
    const { callbackUrl, provider, settings } = this;
    if (this.protocols.isDenied(provider, parameters)) throw new SingleSignOnRejection('access_denied');
    const requiredClaims = {
      areComplete: (known: ProviderClaims) => hasAccess(known, settings) && hasOperatorDetails(known),
      areSufficient: (known: ProviderClaims) => hasAccess(known, settings),
    };
    const returned = { callbackUrl, flowState: () => flow.flowState, parameters, requiredClaims };
    const claims = await this.protocols.finish(provider, returned, (result) => result.claims);
    if (!flow.session) return claims;
    const isNew = hasSignedInSince(claims['auth_time'], flow.startedAt, currentSeconds());
    if (!isNew) throw new SingleSignOnRejection('not_reauthenticated');
    return claims;
  }

  private get callbackUrl(): string {
    return `${this.config.publicUrl}/operator/v1/oidc/callback`;
  }

  private get provider(): ProtocolProvider {
    const { issuer, clientId, clientSecret, scopes } = this.settings;
    return {
      ...{ id: 'operators', projectId: null, type: 'oidc', issuer, version: 0, sendsAuthTime: null },
      settings: () => ({ clientId, clientSecret, scopes }),
    };
  }
}

/** Returns true if the claims include every claim that determines access. No default may replace a missing one. */
function hasAccess(claims: ProviderClaims, { roleClaim, organizationsClaim }: OperatorOidcConfig): boolean {
  const paths = [roleClaim, ...(organizationsClaim ? [organizationsClaim] : [])];
  return paths.every((path) => readClaimValues(claims, path).length > 0);
}

/** Returns true if the claims contain the email address and the name of a new operator. */
const hasOperatorDetails = (claims: ProviderClaims): boolean =>
  readEmail(claims) !== null && readPersonName(claims['name']) !== null;

const currentSeconds = (): number => Math.floor(now().getTime() / 1_000);
