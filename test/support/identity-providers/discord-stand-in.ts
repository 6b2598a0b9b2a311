import { randomBytes, randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { uniqueEmail } from '../unique-email.js';
import { hasScope, readCredentials } from './grants.js';
import { OAuthStandIn } from './oauth-stand-in.js';
import { sendHtml, sendJson, sendRedirect } from './responses.js';
import type { StandInRequest } from './stand-in-server.js';

/** A user with a Discord account, in Discord's API format. */
export interface DiscordUser {
  id: string;
  username: string;
  global_name: string | null;
  /** The hash of the image https://cdn.discordapp.com/avatars/<id>/<avatar>.png. */
  avatar: string | null;
  email: string | null;
  verified: boolean;
}

export type DiscordEndpoint = 'authorize' | 'token' | 'user';
type Request = StandInRequest<DiscordEndpoint> & { endpoint: DiscordEndpoint };

/** Returns an identifier in Discord's format: 18 digits, which is more than a JavaScript number can represent. */
const createSnowflake = (): string => `${randomInt(1, 10)}${String(randomInt(2 ** 40)).padStart(17, '0')}`;

/** Returns a user with a unique id and a unique, verified email address. */
export const createDiscordUser = (differences: Partial<DiscordUser> = {}): DiscordUser => ({
  id: createSnowflake(),
  username: 'ada.byron',
  global_name: 'Ada Byron',
  avatar: randomBytes(16).toString('hex'),
  email: uniqueEmail(),
  verified: true,
  ...differences,
});

const TOKEN_SECONDS = 604_800;

/** A stand-in for Discord (https://discord.com/developers/docs/topics/oauth2). */
export class DiscordStandIn extends OAuthStandIn<DiscordEndpoint, DiscordUser> {
  user: DiscordUser = createDiscordUser();
  protected readonly paths: Record<DiscordEndpoint, string> = {
    authorize: '/oauth2/authorize',
    token: '/api/oauth2/token',
    user: '/api/users/@me',
  };

  static async start(): Promise<DiscordStandIn> {
    return new DiscordStandIn().listen();
  }

  protected createClientId(): string {
    return createSnowflake();
  }

  protected respond(response: ServerResponse, request: Request): void {
    switch (request.endpoint) {
      case 'authorize':
        return this.authorize(response, request.query);
      case 'token':
        return this.exchange(response, request);
      case 'user':
        return this.sendUser(response, request);
    }
  }

  private authorize(response: ServerResponse, parameters: Record<string, string>): void {
    const { client_id = '', redirect_uri, response_type, state } = parameters;
    const client = this.clients.get(client_id);
    if (!client || client.redirectUri !== redirect_uri || response_type !== 'code')
      return sendHtml(response, '<title>Discord</title><p>Invalid OAuth2 request', 400);
    const more: Record<string, string> = state === undefined ? {} : { state };
    if (this.isDenied) {
      const error_description = 'The resource owner or authorization server denied the request';
      return sendRedirect(response, redirect_uri, { error: 'access_denied', error_description, ...more });
    }
    const code = this.grants.createCode({ parameters, user: this.user });
    sendRedirect(response, redirect_uri, { code, ...more });
  }

  private exchange(response: ServerResponse, request: Request): void {
    const { clientId, clientSecret } = readCredentials(request);
    const client = this.clients.get(clientId);
    if (!client || client.clientSecret !== clientSecret)
      return sendJson(response, { error: 'invalid_client' }, 401);
    if (request.form['grant_type'] !== 'authorization_code')
      return sendJson(response, { error: 'unsupported_grant_type' }, 400);
    const grant = this.grants.redeem(clientId, request.form);
    if (typeof grant === 'string') {
      const error_description = `Invalid "${grant}" in request.`;
      return sendJson(response, { error: 'invalid_grant', error_description }, 400);
    }
    const tokens = {
      token_type: 'Bearer',
      access_token: this.grants.createToken(grant),
      expires_in: TOKEN_SECONDS,
      refresh_token: randomBytes(15).toString('hex'),
      scope: grant.parameters['scope'] ?? '',
    };
    sendJson(response, this.withDifferences('token', tokens));
  }

  private sendUser(response: ServerResponse, request: Request): void {
    const grant = this.grants.authorize(request);
    if (!grant || !hasScope(grant, 'identify'))
      return sendJson(response, { message: '401: Unauthorized', code: 0 }, 401);
    const { email, verified, ...user } = grant.user;
    const more = hasScope(grant, 'email') ? { email, verified } : {};
    sendJson(response, this.withDifferences('user', { ...user, discriminator: '0', ...more }));
  }
}
