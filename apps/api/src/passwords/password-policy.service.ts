import { Injectable } from '@nestjs/common';
import {
  OPERATOR_PASSWORD_MIN_LENGTH,
  passwordWeaknesses,
  passwordWeaknessMessage,
  weakPasswordError,
  type PasswordWeakness,
  type ProjectContext,
} from '@gatehouse/domain';
import { ConfigError, type Config } from '@gatehouse/platform';
import { BreachLookup } from './breach-lookup.js';
import { isCommonPassword } from './common-passwords.js';

/** Validates new customer and operator passwords. */
@Injectable()
export class PasswordPolicyService {
  constructor(private readonly breaches: BreachLookup) {}

  /**
   * Rejects a customer's weak password.
   * @param field name of the request field that contains the password
   * @throws GatehouseError `weak_password` with all reasons
   */
  async assertStrong(
    project: ProjectContext,
    email: string,
    password: string,
    field = 'password',
  ): Promise<void> {
    const { passwordMinLength, passwordHashing, breachCheck, branding } = project.settings;
    const reasons = passwordWeaknesses(password, {
      minLength: passwordMinLength,
      hashing: passwordHashing,
      email,
      forbiddenWords: [
        project.name,
        project.organizationName,
        ...(branding.displayName ? [branding.displayName] : []),
      ],
      isCommon: isCommonPassword,
    });
    // A password that is rejected anyway is not looked up in the breach list.
    if (reasons.length === 0 && breachCheck && (await this.breaches.isBreached(password))) {
      reasons.push('breached');
    }
    if (reasons.length > 0) throw weakPasswordError(reasons, passwordMinLength, field);
  }

  /**
   * Rejects an operator's weak password. The requirements are stricter than for customers, because the password grants
   * installation-wide access.
   * @throws GatehouseError `weak_password` with all reasons
   */
  assertStrongForOperator(email: string, password: string, field = 'password'): void {
    const reasons = findOperatorWeaknesses(email, password);
    if (reasons.length > 0) throw weakPasswordError(reasons, OPERATOR_PASSWORD_MIN_LENGTH, field);
  }

  /** Rejects a weak OPERATOR_PASSWORD by the same rules. @throws ConfigError with all reasons */
  assertStrongSetting({ email, password }: NonNullable<Config['firstOperator']>): void {
    const problems = findOperatorWeaknesses(email, password).map(
      (reason) =>
        `OPERATOR_PASSWORD is too weak. ${passwordWeaknessMessage(reason, OPERATOR_PASSWORD_MIN_LENGTH)}`,
    );
    if (problems.length > 0) throw new ConfigError(problems);
  }
}

const findOperatorWeaknesses = (email: string, password: string): PasswordWeakness[] =>
  passwordWeaknesses(password, {
    minLength: OPERATOR_PASSWORD_MIN_LENGTH,
    hashing: 'peppered',
    email,
    forbiddenWords: ['gatehouse'],
    isCommon: isCommonPassword,
  });
