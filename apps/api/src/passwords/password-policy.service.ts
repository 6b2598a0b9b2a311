import { Injectable } from '@nestjs/common';
import {
  GatehouseError,
  OPERATOR_PASSWORD_MIN_LENGTH,
  passwordWeaknesses,
  passwordWeaknessMessage,
  type PasswordWeakness,
  type ProjectContext,
} from '@gatehouse/domain';
import { ConfigError, type Config } from '@gatehouse/platform';
import { BreachLookup } from './breach-lookup.js';
import { isCommonPassword } from './common-passwords.js';

/** What a new password must be like, in a project and of an operator. */
@Injectable()
export class PasswordPolicyService {
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
      forbiddenWords: [
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
    if (reasons.length > 0) throw weakPasswordError(reasons, passwordMinLength, field);
  }

  /**
   * Asks more of an operator's password than of a customer's: it opens the whole house.
   * @throws GatehouseError `weak_password` with every reason
   */
  assertStrongForOperator(email: string, password: string, field = 'password'): void {
    const reasons = findOperatorWeaknesses(email, password);
    if (reasons.length > 0) throw weakPasswordError(reasons, OPERATOR_PASSWORD_MIN_LENGTH, field);
  }

  /** The same of OPERATOR_PASSWORD. @throws ConfigError with every reason */
  assertStrongSetting({ email, password }: NonNullable<Config['firstOperator']>): void {
    const faults = findOperatorWeaknesses(email, password).map(
      (reason) =>
        `OPERATOR_PASSWORD is too weak. ${passwordWeaknessMessage(reason, OPERATOR_PASSWORD_MIN_LENGTH)}`,
    );
    if (faults.length > 0) throw new ConfigError(faults);
  }
}

const findOperatorWeaknesses = (email: string, password: string): PasswordWeakness[] =>
  passwordWeaknesses(password, {
    minLength: OPERATOR_PASSWORD_MIN_LENGTH,
    email,
    forbiddenWords: ['gatehouse'],
    isCommon: isCommonPassword,
  });

/** @param field of the request that holds the password */
function weakPasswordError(reasons: PasswordWeakness[], minLength: number, field: string): GatehouseError {
  const errors = reasons.map((code) => ({ field, code, message: passwordWeaknessMessage(code, minLength) }));
  return new GatehouseError('weak_password', { errors, members: { reasons } });
}
