import { Injectable } from '@nestjs/common';
import { GatehouseError, passwordWeaknesses, weaknessSentence, type ProjectContext } from '#domain';
import { BreachLookup } from './breach-lookup.js';
import { isCommonPassword } from './common-passwords.js';

/** What a new password must be like in a project. */
@Injectable()
export class PasswordPolicy {
  constructor(private readonly breaches: BreachLookup) {}

  /**
   * @param field of the request that holds the password
   * @throws GatehouseError `weak_password` with every reason
   */
  async assertStrong(
    project: ProjectContext,
    email: string,
    password: string,
    field = 'password',
  ): Promise<void> {
    const { passwordMinLength, breachCheck, branding } = project.settings;
    const reasons = passwordWeaknesses(password, {
      minLength: passwordMinLength,
      email,
      words: [
        project.name,
        project.organizationName,
        ...(branding.displayName ? [branding.displayName] : []),
      ],
      isCommon: isCommonPassword,
    });
    // Nobody else is asked about a password that is refused anyway.
    if (reasons.length === 0 && breachCheck && (await this.breaches.isBreached(password))) {
      reasons.push('breached');
    }
    if (reasons.length === 0) return;
    const errors = reasons.map((code) => ({
      field,
      code,
      message: weaknessSentence(code, passwordMinLength),
    }));
    throw new GatehouseError('weak_password', { errors, members: { reasons } });
  }
}
