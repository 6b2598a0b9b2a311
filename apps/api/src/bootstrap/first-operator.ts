import { Inject, Injectable } from '@nestjs/common';
import { OperatorsRepository, Transactions } from '@gatehouse/persistence';
import { adminCommand, Config, LOGGER, newId, PasswordHasher, type Logger } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { OperatorLinksService } from '../operators/operator-links.service.js';

/** The command that prints a one-time link to the console. */
export const OPERATOR_LINK_COMMAND = adminCommand('operator-link');

/** Ensures console access in an installation that has no operator. There is no default account. */
@Injectable()
export class FirstOperator {
  constructor(
    private readonly operators: OperatorsRepository,
    private readonly links: OperatorLinksService,
    private readonly audit: AuditService,
    private readonly transactions: Transactions,
    private readonly hasher: PasswordHasher,
    private readonly policy: PasswordPolicyService,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Creates the operator from the settings, or logs the command for creating the first operator.
   * @throws ConfigError for a weak OPERATOR_PASSWORD
   */
  async ensure(): Promise<void> {
    if (await this.operators.hasAny()) return;
    const { firstOperator, console: isConsoleServed } = this.config;
    if (firstOperator) return this.create(firstOperator);
    if (!isConsoleServed) return;
    // The log contains the command instead of a link, because a person who can read the log must not be able to become
    // an operator.
    this.logger.warn({ command: OPERATOR_LINK_COMMAND }, 'no operator exists');
  }

  private async create(first: { email: string; password: string }): Promise<void> {
    this.policy.assertStrongSetting(first);
    const { email } = first;
    const passwordHash = await this.hasher.hash(first.password);
    await this.transactions.run(async (tx) => {
      await this.operators.lockFirstOperator(tx);
      if (await this.operators.hasAny(tx)) return;
      const admin = { id: newId(), email, name: null, passwordHash, role: 'admin' } as const;
      await this.operators.insert(tx, { ...admin, organizationIds: null });
      await this.links.voidAll(tx, null);
      this.audit.record(tx, operatorAction('operator.created', admin, { role: 'admin' }));
    });
  }
}
