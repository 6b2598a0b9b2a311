import { Injectable } from '@nestjs/common';
import { emailDomain, GatehouseError, type ProjectContext } from '@gatehouse/domain';
import { ProviderDomainsRepository, type DomainOwner, type Sql } from '@gatehouse/persistence';

/** The provider and the transaction of a sign-in, if any. */
interface SignInScope {
  /** The provider with which the sign-in has begun. Default: none. */
  providerId?: string | null | undefined;
  sql?: Sql;
}

/** Returns the error for a sign-in that does not use the required provider. */
export const ssoRequiredError = (slug: string): GatehouseError =>
  new GatehouseError('sso_required', { members: { provider: slug } });

/**
 * Decides which customers must sign in with a specific provider: those with an address in a verified domain of
 * a required provider (sign-in contract, section 5; requirement FE-06). The decision depends only on the
 * domain, so it does not reveal whether a customer exists.
 */
@Injectable()
export class RequiredProvidersService {
  constructor(private readonly domains: ProviderDomainsRepository) {}

  /** Returns the enabled provider that has verified an address's domain, or null. The provider may be optional. */
  findOwner({ id }: Pick<ProjectContext, 'id'>, email: string, sql?: Sql): Promise<DomainOwner | null> {
    return this.domains.findOwner(id, emailDomain(email), sql);
  }

  /** Returns the provider with which an address's owner must sign in; null if every method is allowed. */
  async find(project: Pick<ProjectContext, 'id'>, email: string, sql?: Sql): Promise<DomainOwner | null> {
    const owner = await this.findOwner(project, email, sql);
    return owner?.required ? owner : null;
  }

  /** @throws GatehouseError `sso_required` if an address's owner must sign in with another provider */
  async assertAllowed(
    project: Pick<ProjectContext, 'id'>,
    email: string,
    { providerId, sql }: SignInScope = {},
  ): Promise<void> {
    const required = await this.find(project, email, sql);
    if (required && required.id !== providerId) throw ssoRequiredError(required.slug);
  }
}
