import { Injectable } from '@nestjs/common';
import type { IdentityProvider, ProjectContext } from '@gatehouse/domain';
import { IdentityProvidersRepository } from '@gatehouse/persistence';
import { RequiredProvidersService } from '../identities/required-providers.service.js';
import { PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import { EmailSignInOptionsResponse, SignInOptionsResponse } from './dto/sign-in-options.response.js';

/** Describes a project's sign-in methods, for sign-in pages. */
@Injectable()
export class SignInOptionsService {
  constructor(
    private readonly passkeys: PasskeyCeremoniesService,
    private readonly providers: IdentityProvidersRepository,
    private readonly required: RequiredProvidersService,
  ) {}

  /** Returns a project's enabled providers, in the order in which they were added. */
  listProviders({ id }: ProjectContext): Promise<IdentityProvider[]> {
    return this.providers.listEnabled(id);
  }

  /**
   * @param providers the providers that the page offers. Default: all enabled providers
   */
  async get(project: ProjectContext, providers?: IdentityProvider[]): Promise<SignInOptionsResponse> {
    const hasPasskeys = this.passkeys.findRelyingParty(project) !== null;
    return SignInOptionsResponse.from(project, hasPasskeys, providers ?? (await this.listProviders(project)));
  }

  /** Returns the options for an email address's domain, whether or not a customer has it. */
  async getForEmail(project: ProjectContext, email: string): Promise<EmailSignInOptionsResponse> {
    const owner = await this.required.findOwner(project, email);
    return { ...(await this.get(project)), provider: owner?.slug ?? null };
  }
}
