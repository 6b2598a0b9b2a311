import { Injectable } from '@nestjs/common';
import { assertGranted, failurePolicy } from '@gatehouse/auth';
import { GatehouseError, type CodeMethod, type Customer, type ProjectContext } from '@gatehouse/domain';
import {
  CustomersRepository,
  FactorAttemptsRepository,
  FactorsRepository,
  type Tx,
} from '@gatehouse/persistence';
import { ChangeRecordsService } from '../change-records/change-records.service.js';
import type { Client } from '../http/request-context.js';
import { FactorCodesService } from './factor-codes.service.js';
import { FailedSignInsService, type SignInFailure } from './failed-sign-ins.service.js';

/** Verifies second-factor codes and counts the failures. All routes that accept such codes use this service. */
@Injectable()
export class FactorCheckService {
  constructor(
    private readonly attempts: FactorAttemptsRepository,
    private readonly factors: FactorsRepository,
    private readonly customers: CustomersRepository,
    private readonly records: ChangeRecordsService,
    private readonly codes: FactorCodesService,
    private readonly failures: FailedSignInsService,
  ) {}

  /**
   * Counts an attempt before its code is verified, so that parallel attempts never exceed the limit. The customer's
   * challenges and sessions share the count, and only a completed sign-in clears it. Known client IPs have no separate
   * count (sign-in contract, section 1).
   * @throws GatehouseError `too_many_attempts`, `invalid_code` if the customer no longer exists
   */
  async countAttempt(project: ProjectContext, customerId: string, client: Client): Promise<void> {
    const policy = failurePolicy('failed-second-factor', project);
    const attempt = await this.attempts.reserve(customerId, policy);
    if (!attempt) throw new GatehouseError('invalid_code');
    if (attempt.granted === null)
      this.failures.reportRejection(
        project,
        { id: customerId },
        { reason: 'locked', methods: ['otp'], client },
      );
    assertGranted(policy, attempt);
  }

  /**
   * Releases an attempt whose code was correct but did not complete a sign-in. Earlier failures remain counted.
   */
  async releaseAttempt(customerId: string, tx?: Tx): Promise<void> {
    await this.attempts.release(customerId, tx);
  }

  /**
   * Consumes a code from a customer whom the transaction has locked. Notifies the customer when a recovery code was used.
   * @throws GatehouseError `invalid_code`
   */
  async consumeCode(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    { method, code, client }: { method: CodeMethod; code: string; client: Client },
  ): Promise<void> {
    const isValid =
      method === 'totp'
        ? await this.consumeTotpCode(tx, customer.id, code)
        : await this.consumeRecoveryCode(tx, project, customer, code);
    if (!isValid) throw this.fail(project, customer, client);
  }

  /** Reports a failed attempt, and returns its error. */
  fail(
    project: ProjectContext,
    { id }: Customer,
    client: Client,
    failure: Omit<SignInFailure, 'client'> = { reason: 'wrong_second_factor', methods: ['otp'] },
  ): GatehouseError {
    this.failures.report(project, { ...failure, client }, (tx) => this.customers.lock(tx, project.id, id));
    return new GatehouseError('invalid_code');
  }

  private async consumeTotpCode(tx: Tx, customerId: string, code: string): Promise<boolean> {
    const authenticators = await this.factors.listSecrets(tx, customerId);
    return this.codes.consumeTotpCode(tx, this.factors, customerId, authenticators, code);
  }

  private async consumeRecoveryCode(
    tx: Tx,
    project: ProjectContext,
    customer: Customer,
    code: string,
  ): Promise<boolean> {
    if (!(await this.codes.consumeRecoveryCode(tx, this.factors, customer.id, code))) return false;
    await this.records.record(tx, 'recovery_codes.used', customer, project);
    return true;
  }
}
