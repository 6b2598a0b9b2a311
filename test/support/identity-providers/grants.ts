import { createHash, randomBytes } from 'node:crypto';
import type { StandInRequest } from './stand-in-server.js';

/** An application that is registered with a stand-in. */
export interface StandInClient {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

/** A user's grant to a client, with the authorization request's parameters. */
export interface Grant<User> {
  parameters: Record<string, string>;
  user: User;
}

/** The reason why a code is rejected. */
export type CodeProblem = 'code' | 'client' | 'redirect_uri' | 'code_verifier';

/** A stand-in's authorization codes and access tokens. A code works once. */
export class Grants<User> {
  private readonly byCode = new Map<string, Grant<User>>();
  private readonly byToken = new Map<string, Grant<User>>();

  /** Creates a code for a grant. */
  createCode(grant: Grant<User>): string {
    const code = randomBytes(16).toString('hex');
    this.byCode.set(code, grant);
    return code;
  }

  /** Returns a code's grant, or the problem with the request to the token endpoint. */
  redeem(clientId: string, form: Record<string, string>): Grant<User> | CodeProblem {
    const { code = '', redirect_uri, code_verifier = '' } = form;
    const grant = this.byCode.get(code);
    this.byCode.delete(code);
    if (!grant) return 'code';
    const { parameters } = grant;
    if (parameters['client_id'] !== clientId) return 'client';
    if (parameters['redirect_uri'] !== redirect_uri) return 'redirect_uri';
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    if ((parameters['code_challenge'] ?? challenge) !== challenge) return 'code_verifier';
    return grant;
  }

  /** Creates an access token for a grant. */
  createToken(grant: Grant<User>, prefix = ''): string {
    const token = prefix + randomBytes(18).toString('hex');
    this.byToken.set(token, grant);
    return token;
  }

  /** Returns the grant of the access token in a request. */
  authorize({ headers }: StandInRequest): Grant<User> | undefined {
    const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
    return token === undefined ? undefined : this.byToken.get(token);
  }
}

/** Returns true if the grant includes a scope. */
export const hasScope = ({ parameters }: Grant<unknown>, scope: string): boolean =>
  (parameters['scope'] ?? '').split(/[ ,]/).includes(scope);

/**
 * Returns the client id and secret from a request to a token endpoint (`client_secret_basic` or
 * `client_secret_post`).
 */
export function readCredentials({ headers, form }: StandInRequest): {
  clientId: string;
  clientSecret: string;
} {
  const [, encoded] = /^Basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (encoded === undefined)
    return { clientId: form['client_id'] ?? '', clientSecret: form['client_secret'] ?? '' };
  const text = Buffer.from(encoded, 'base64').toString();
  // Both parts are form-encoded (RFC 6749, section 2.3.1).
  const decode = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));
  const colon = text.indexOf(':');
  return { clientId: decode(text.slice(0, colon)), clientSecret: decode(text.slice(colon + 1)) };
}

/** Returns a client with a new id and secret. */
export const createClient = (redirectUri: string, clientId: string): StandInClient => ({
  clientId,
  clientSecret: randomBytes(20).toString('hex'),
  redirectUri,
});
