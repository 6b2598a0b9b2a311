import { randomBytes, randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { uniqueEmail } from '../unique-email.js';
import { hasScope, type Grant } from './grants.js';
import { OAuthStandIn } from './oauth-stand-in.js';
import { sendHtml, sendJson, sendRedirect } from './responses.js';
import type { StandInRequest } from './stand-in-server.js';

/** A user with a GitHub account, in GitHub's API format. */
export interface GitHubUser {
  id: number;
  login: string;
  name: string | null;
  avatar_url: string;
  /** The public email address. */
  email: string | null;
  emails: { email: string; primary: boolean; verified: boolean; visibility: 'public' | 'private' | null }[];
}

export type GitHubEndpoint = 'authorize' | 'token' | 'user' | 'emails';
type Request = StandInRequest<GitHubEndpoint> & { endpoint: GitHubEndpoint };

/** Returns a user with a unique id and login, and one unique email address that is primary and verified. */
export const createGitHubUser = (differences: Partial<GitHubUser> = {}): GitHubUser => {
  const id = randomInt(1, 2 ** 31);
  const emails = [{ email: uniqueEmail(), primary: true, verified: true, visibility: 'private' as const }];
  const avatar_url = `https://avatars.githubusercontent.com/u/${id}?v=4`;
  return { id, login: `ada-${id}`, name: 'Ada Byron', avatar_url, email: null, emails, ...differences };
};

const BAD_CODE = {
  error: 'bad_verification_code',
  error_description: 'The code passed is incorrect or expired.',
};
const REDIRECT_URI_MISMATCH = {
  error: 'redirect_uri_mismatch',
  error_description: 'The redirect_uri MUST match the registered callback URL for this application.',
};

/**
 * A stand-in for GitHub, with GitHub Enterprise Server's paths
 * (https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps).
 */
export class GitHubStandIn extends OAuthStandIn<GitHubEndpoint, GitHubUser> {
  user: GitHubUser = createGitHubUser();
  protected readonly paths: Record<GitHubEndpoint, string> = {
    authorize: '/login/oauth/authorize',
    token: '/login/oauth/access_token',
    user: '/api/v3/user',
    emails: '/api/v3/user/emails',
  };

  static async start(): Promise<GitHubStandIn> {
    return new GitHubStandIn().listen();
  }

  protected createClientId(): string {
    return `Ov23li${randomBytes(7).toString('hex')}`;
  }

  protected respond(response: ServerResponse, request: Request): void {
    switch (request.endpoint) {
      case 'authorize':
        return this.authorize(response, request.query);
      case 'token':
        return sendToken(response, request, this.exchange(request));
      case 'user':
      case 'emails':
        return this.respondToApiRequest(response, request);
    }
  }

  private authorize(response: ServerResponse, parameters: Record<string, string>): void {
    const client = this.clients.get(parameters['client_id'] ?? '');
    if (!client) return sendHtml(response, '<title>Page not found</title>', 404);
    const { redirectUri } = client;
    // GitHub uses the registered URL if the parameter is missing.
    const { redirect_uri = redirectUri, state } = parameters;
    const more: Record<string, string> = state === undefined ? {} : { state };
    if (redirect_uri !== redirectUri)
      return sendRedirect(response, redirectUri, { ...REDIRECT_URI_MISMATCH, ...more });
    if (this.isDenied) {
      const error_description = 'The user has denied your application access.';
      return sendRedirect(response, redirectUri, { error: 'access_denied', error_description, ...more });
    }
    sendRedirect(response, redirectUri, {
      code: this.grants.createCode({ parameters, user: this.user }),
      ...more,
    });
  }

  private exchange({ form }: Request): Record<string, string> {
    const { client_id = '', client_secret } = form;
    const client = this.clients.get(client_id);
    if (!client || client.clientSecret !== client_secret)
      return {
        error: 'incorrect_client_credentials',
        error_description: 'The client_id and/or client_secret passed are incorrect.',
      };
    const grant = this.grants.redeem(client_id, form);
    if (typeof grant === 'string') return grant === 'redirect_uri' ? REDIRECT_URI_MISMATCH : BAD_CODE;
    const scope = (grant.parameters['scope'] ?? '').split(' ').join(',');
    const tokens = { access_token: this.grants.createToken(grant, 'gho_'), scope, token_type: 'bearer' };
    return this.withDifferences('token', tokens);
  }

  private respondToApiRequest(response: ServerResponse, request: Request): void {
    if (!request.headers['user-agent'])
      return sendJson(
        response,
        'Request forbidden by administrative rules. Please make sure your request has a User-Agent header.',
        403,
      );
    const grant = this.grants.authorize(request);
    if (!grant) return sendJson(response, { message: 'Bad credentials', status: '401' }, 401);
    const body = request.endpoint === 'user' ? this.withDifferences('user', userOf(grant)) : emailsOf(grant);
    if (body === undefined) return sendJson(response, { message: 'Not Found', status: '404' }, 404);
    sendJson(response, body);
  }
}

const userOf = ({ user: { emails: _emails, ...user } }: Grant<GitHubUser>): object => ({
  ...user,
  type: 'User',
});

/** Returns the email addresses if the scope permits it. */
const emailsOf = (grant: Grant<GitHubUser>): object[] | undefined =>
  hasScope(grant, 'user:email') || hasScope(grant, 'user') ? grant.user.emails : undefined;

/** Sends the result in the format that the client accepts. Errors also have status 200. */
function sendToken(response: ServerResponse, request: Request, result: Record<string, string>): void {
  if (request.headers.accept?.includes('application/json')) return sendJson(response, result);
  response.writeHead(200, { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' });
  response.end(new URLSearchParams(result).toString());
}
