import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import {
  apiKeyType,
  GatehouseError,
  hasRole,
  insufficientScope,
  reauthenticationMethods,
  type ErrorCode,
} from '@gatehouse/domain';
import { LOGGER, type Logger } from '@gatehouse/platform';
import { AccessTokenAuthenticator } from './access-token.authenticator.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import type { Caller, OperatorCaller, SecretKeyCaller } from './caller.js';
import {
  INACTIVE_KEY_DETAIL,
  malformedCredentialDetail,
  missingCredentialDetail,
  unexpectedCredentialDetail,
} from './credential-details.js';
import { notSignedInError, operatorToken } from './operator-cookie.js';
import { OperatorSessionAuthenticator } from './operator-session.authenticator.js';
import { presentedCredentials, type PresentedCredential } from './presented-credentials.js';
import {
  requiredRole,
  routeCredential,
  type ReauthenticatedOperators,
  type RouteCredential,
} from './route-credential.js';

/** A request that the guard has accepted. */
export interface AuthenticatedRequest extends Request {
  caller?: Caller;
  /** A secret key that was sent in addition to the caller's own credential. */
  accompanyingSecretKey?: SecretKeyCaller;
}

/** Returns whether a page in the console sent the request automatically, after a minute without user activity. */
const isBackgroundRequest = ({ headers }: Request): boolean => headers['x-gatehouse-console'] === 'resting';

const isSecretKey = (caller: HeaderCaller | null): caller is SecretKeyCaller => caller?.kind === 'secret-key';

/** A caller that sent its credential in a header. Operators send a session cookie instead. */
type HeaderCaller = Exclude<Caller, OperatorCaller>;

const acceptedHeaders: Record<HeaderCaller['kind'], PresentedCredential['header'][]> = {
  'secret-key': ['authorization', 'x-api-key'],
  'publishable-key': ['x-publishable-key'],
  'access-token': ['authorization'],
};

/**
 * Authenticates every request's credentials and then checks whether the route accepts them (contract, section 3). A
 * route that declares no credential rejects every request.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly apiKeys: ApiKeyAuthenticator,
    private readonly accessTokens: AccessTokenAuthenticator,
    private readonly operators: OperatorSessionAuthenticator,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws GatehouseError 400, 401 or 403 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = routeCredential(context.getClass(), context.getHandler());
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (!route) {
      this.logger.error(
        { method: request.method, route: (request.route as { path?: string } | undefined)?.path },
        'route declares no credential',
      );
      throw new GatehouseError('not_found');
    }
    if (route.kinds.length === 0) {
      await this.attachAccompanyingSecretKey(request);
      return true;
    }
    if (route.kinds.includes('operator')) {
      await this.authenticateOperator(request, route);
      return true;
    }

    const callers = await this.authenticateAll(request, route);
    const caller = callers.find(({ kind }) => route.kinds.includes(kind));
    if (!caller) {
      throw callers.length > 0
        ? wrongCredentialType(callers[0]!.kind, presentedCredentials(request)[0]!, route)
        : unauthorized(route, missingCredentialDetail(route.kinds), 'Bearer');
    }
    // Set before the scopes are checked, because the log also contains a rejected request's caller (requirement LG-03).
    request.caller = caller;
    if (caller.kind === 'secret-key') this.requireScopes(caller, route);
    request.accompanyingSecretKey = callers.find(isSecretKey);
    return true;
  }

  /**
   * Attaches the secret key with which a server signs a customer in on a route that requires no credential. The key
   * allows the server to state the customer's client IP in `X-Client-Ip` (contract, section 3). Keys have no other
   * effect on such routes, and an invalid key is ignored. A server cannot state an operator's client IP.
   */
  private async attachAccompanyingSecretKey(request: AuthenticatedRequest): Promise<void> {
    if (!request.path.startsWith('/api/v1/auth/')) return;
    if (!request.headers['x-client-ip'] || !request.headers['x-publishable-key']) return;
    try {
      const keys = presentedCredentials(request).filter(({ value }) => apiKeyType(value));
      const callers = await Promise.all(keys.map(({ value }) => this.apiKeys.authenticate(value)));
      const secret = callers.find(isSecretKey);
      const publishable = callers.find((caller) => caller?.kind === 'publishable-key');
      if (secret && publishable?.project.id === secret.project.id) request.accompanyingSecretKey = secret;
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
    }
  }

  /**
   * Authenticates an operator. API keys and access tokens are never looked up on console routes. They are ignored if
   * the request contains a session cookie, and rejected otherwise.
   */
  private async authenticateOperator(request: AuthenticatedRequest, route: RouteCredential): Promise<void> {
    const token = operatorToken(request);
    if (!token && presentedCredentials(request).some(({ value }) => value !== '')) {
      throw new GatehouseError('wrong_credential_type');
    }
    const caller = token && (await this.operators.authenticate(token, !isBackgroundRequest(request)));
    if (!caller) throw notSignedInError();
    request.caller = caller;
    const minimumRole = requiredRole(route);
    if (!hasRole(caller.role, minimumRole)) {
      throw new GatehouseError('insufficient_role', { members: { requiredRole: minimumRole } });
    }
    if (route.requiresInstallationAccess && caller.accessScope.organizationIds)
      throw new GatehouseError('installation_access_required');
    if (route.reauthentication) requireReauthentication(caller, route.reauthentication);
  }

  private async authenticateAll(request: Request, route: RouteCredential): Promise<HeaderCaller[]> {
    const presented = presentedCredentials(request);
    const callers: HeaderCaller[] = [];
    let misplaced: GatehouseError | undefined;
    for (const credential of presented) {
      const caller = await this.authenticate(credential);
      if (!caller) {
        const detail = this.describeRejection(credential, route);
        throw usesOtherScheme(credential, request)
          ? unauthorized(route, detail, 'Bearer')
          : unauthorized(route, detail);
      }
      if (!acceptedHeaders[caller.kind].includes(credential.header))
        misplaced ??= wrongCredentialType(caller.kind, credential, route);
      callers.push(caller);
    }
    if (misplaced) throw misplaced;
    const projects = new Set(
      callers.map((caller) =>
        caller.kind === 'access-token' ? caller.customer.projectId : caller.project.id,
      ),
    );
    if (projects.size > 1) throw new GatehouseError('multiple_credentials');
    return callers;
  }

  private authenticate({ header, value }: PresentedCredential): Promise<HeaderCaller | null> {
    if (apiKeyType(value) || header !== 'authorization') return this.apiKeys.authenticate(value);
    return this.accessTokens.authenticate(value);
  }

  private describeRejection(credential: PresentedCredential, route: RouteCredential): string {
    const detail = malformedCredentialDetail(credential, route.kinds);
    if (detail) return detail;
    return apiKeyType(credential.value)
      ? INACTIVE_KEY_DETAIL
      : this.accessTokens.describeRejection(credential.value);
  }

  private requireScopes(caller: SecretKeyCaller, route: RouteCredential): void {
    if (route.scopes.some((scope) => !caller.scopes.includes(scope))) throw insufficientScope(route.scopes);
    if (route.access === 'organization' && caller.access !== 'organization') {
      throw new GatehouseError('insufficient_access', { members: { requiredAccess: route.access } });
    }
  }
}

/** @throws GatehouseError `factor_required`, `reauthentication_required` */
function requireReauthentication(
  { method, hasSecondFactor, isReauthenticated }: OperatorCaller,
  operators: ReauthenticatedOperators,
): void {
  if (!hasSecondFactor && operators === 'enrolled') return;
  if (!hasSecondFactor) throw new GatehouseError('factor_required');
  if (!isReauthenticated) {
    const methods = reauthenticationMethods[method];
    throw new GatehouseError('reauthentication_required', { members: { methods } });
  }
}

/**
 * Returns whether a credential was sent with a scheme other than Bearer. In this case, the challenge contains no error,
 * as if no credential had been sent (RFC 6750, section 3.1).
 */
const usesOtherScheme = ({ header }: PresentedCredential, { headers }: Request): boolean =>
  header === 'authorization' && /^(?!bearer )[a-z][\w-]* +\S/i.test(headers.authorization ?? '');

/** Creates the 401 for the route's credential type, with the challenge from RFC 9110 and RFC 6750. */
function unauthorized(
  route: RouteCredential,
  detail: string,
  challenge = route.kinds.includes('access-token') ? 'Bearer error="invalid_token"' : 'Bearer',
): GatehouseError {
  const code: ErrorCode = route.kinds.includes('access-token') ? 'invalid_access_token' : 'invalid_api_key';
  return new GatehouseError(code, { headers: { 'WWW-Authenticate': challenge }, detail });
}

const wrongCredentialType = (
  kind: HeaderCaller['kind'],
  { header }: PresentedCredential,
  route: RouteCredential,
): GatehouseError =>
  new GatehouseError('wrong_credential_type', {
    detail: unexpectedCredentialDetail(kind, header, route.kinds),
  });
