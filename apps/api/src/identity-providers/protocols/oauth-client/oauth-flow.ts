import { parseValidUrl } from '@gatehouse/domain';
import { secureBytes } from '@gatehouse/platform';
import type { AuthenticationRequest, StartedFlow, CallbackFlow } from '../identity-protocol.js';
import type { Connection } from './oauth-connections.service.js';

/** The state that an OAuth 2.0 client stores between the beginning and the end of a flow. */
interface OAuthFlowState {
  /** The id token must contain it. Unused without an id token (plain OAuth 2.0). */
  nonce: string;
  /** The PKCE verifier (RFC 7636). Useless without the code that the provider issues. */
  codeVerifier: string;
}

const randomString = (): string => secureBytes(32).toString('base64url');

/**
 * Begins an authorization code flow with PKCE.
 * @param parameters returns the parameters that the protocol adds to the request
 */
export async function beginAuthorization(
  { client, configuration }: Connection,
  { callbackUrl, state, maxAge, promptsLogin, loginHint }: AuthenticationRequest,
  scopes: string[],
  parameters: (flowState: OAuthFlowState) => Record<string, string> = () => ({}),
): Promise<StartedFlow> {
  const flowState = { nonce: randomString(), codeVerifier: randomString() };
  const url = client.buildAuthorizationUrl(configuration, {
    ...parameters(flowState),
    redirect_uri: callbackUrl,
    scope: scopes.join(' '),
    state,
    code_challenge: await client.calculatePKCECodeChallenge(flowState.codeVerifier),
    code_challenge_method: 'S256',
    ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
    ...(promptsLogin ? { prompt: 'login' } : {}),
    ...(loginHint ? { login_hint: loginHint } : {}),
  });
  return { url: url.href, flowState: { ...flowState } };
}

/**
 * Exchanges a callback's code for tokens.
 * @param withIdToken true if the response must contain an id token with the flow's nonce
 * @throws Error if the response does not belong to the request
 */
export function exchangeCode(
  { client, configuration }: Connection,
  flow: CallbackFlow,
  { withIdToken }: { withIdToken: boolean },
) {
  const { callbackUrl, parameters } = flow;
  const { nonce, codeVerifier } = flow.flowState() as unknown as OAuthFlowState;
  const url = parseValidUrl(callbackUrl);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return client.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: codeVerifier,
    expectedState: parameters['state']!,
    ...(withIdToken ? { expectedNonce: nonce, idTokenExpected: true } : {}),
  });
}
