import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import {
  GatehouseError,
  invalidField,
  isUuid,
  type ExchangeTarget,
  type ProjectContext,
} from '@gatehouse/domain';
import { ProjectsRepository } from '@gatehouse/persistence';
import type { RouteLimit } from '../../http/limits/address-limit.js';
import { RateLimits } from '../../http/limits/rate-limit.js';
import {
  getClient,
  type Client,
  type GatehouseRequest,
  type SignInPageClient,
} from '../../http/request-context.js';
import { SignInFlowsService } from '../../sign-in/sign-in-flows.service.js';
import { readClientId, readSignInQuery, type SignInQuery } from './sign-in-query.js';

/** Fields of a form on the hosted sign-in page. */
export type SignInForm = Partial<Record<string, string>>;

/** A valid request to the hosted sign-in page. */
export interface SignInPageRequest {
  project: ProjectContext;
  query: SignInQuery;
  form: SignInForm;
  /** The client. Its sign-ins end with a code for the application. */
  client: Client & { page: SignInPageClient };
  response: Response;
}

/** Validates requests to the hosted sign-in page. A flow is accepted only with the query that it was started with. */
@Injectable()
export class SignInRequestsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly flows: SignInFlowsService,
    private readonly limits: RateLimits,
  ) {}

  /**
   * Returns a valid request.
   * @param limit the rate limit that the request counts toward, with the project's other requests
   * @throws GatehouseError `validation_failed` for an incorrect query, `rate_limited`
   */
  async open(
    limit: RouteLimit,
    query: unknown,
    form: unknown,
    response: Response,
  ): Promise<SignInPageRequest> {
    const request = response.req as GatehouseRequest;
    const parameters = query as Record<string, unknown>;
    const found = await this.findProject(parameters);
    const project = found instanceof GatehouseError ? null : found;
    await this.limits.limitAddress(limit, request, project);
    if (found instanceof GatehouseError) throw found;
    request.projectId = found.id;
    const signIn = readSignInQuery(found, parameters);
    const target = toTarget(signIn);
    const flow = signIn.flow === null ? null : await this.flows.find(found.id, target, signIn.flow);
    const client = { ...getClient(request), page: { target, flow } };
    return { project: found, query: signIn, form: form ?? {}, client, response };
  }

  /** Returns the project in the query, or the error if there is none. */
  private async findProject(query: Record<string, unknown>): Promise<ProjectContext | GatehouseError> {
    try {
      const id = readClientId(query);
      if (id === null) throw invalidClient('is missing');
      if (!isUuid(id)) throw invalidClient('must be the id of a project');
      return await this.projects.getActive({ organizationIds: null, projectId: id }, id);
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error;
      if (error.code === 'not_found') return invalidClient('must be the id of a project');
      return error.code === 'project_archived' ? invalidClient('names a project that is archived') : error;
    }
  }
}

const invalidClient = (problem: string): GatehouseError =>
  invalidField('client_id', 'invalid', `client_id ${problem}`);

const toTarget = ({ redirectUrl, codeChallenge, state }: SignInQuery): ExchangeTarget => ({
  redirectUrl,
  codeChallenge,
  state,
});

/**
 * Returns the path of a link or form on the page, with the page's query.
 * @param more further parameters
 */
export function signInPath(
  { query }: Pick<SignInPageRequest, 'query'>,
  path = '',
  more: Record<string, string> = {},
): string {
  return `/sign-in${path}?${new URLSearchParams({ ...query.parameters, ...more }).toString()}`;
}
