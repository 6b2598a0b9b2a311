import { Inject, Injectable } from '@nestjs/common';
import { OperatorsRepository, Transactions } from '@gatehouse/persistence';
import { Config, LOGGER, newId, PasswordHasher, type Logger } from '@gatehouse/platform';
import { AuditService, operatorAction } from '../audit/audit.service.js';
import { PasswordPolicyService } from '../passwords/password-policy.service.js';
import { OperatorLinksService } from '../operators/operator-links.service.js';

/** Ensures access to the console of an installation that has no operator. There is no default account. */
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
   * Creates the operator from the settings, or logs a link to create the first operator.
   * @throws ConfigError for a weak OPERATOR_PASSWORD
   */
  async ensure(): Promise<void> {
    if (await this.operators.hasAny()) return;
    const { firstOperator, console: isConsoleServed } = this.config;
    if (firstOperator) return this.create(firstOperator);
    if (!isConsoleServed) return;
    const link = await this.transactions.run((tx) => this.links.createSetupLink(tx));
    // A new installation has no other channel, so anyone who can read its log may create the first operator.
    this.logger.warn({ link }, 'no operator exists; open this link within a day to create the first one');
  }

  private async create(first: { email: string; password: string }): Promise<void> {
    this.policy.assertStrongSetting(first);
    const { email } = first;
    const passwordHash = await this.hasher.hash(first.password);
    await this.transactions.run(async (tx) => {
      await this.operators.lockFirstOperator(tx);
      if (await this.operators.hasAny(tx)) return;
      const admin = { id: newId(), email, name: null, passwordHash, role: 'admin' } as const;
      await this.operators.insert(tx, admin);
      await this.links.voidAll(tx, null);
      this.audit.record(tx, operatorAction('operator.created', admin, { role: 'admin' }));
    });
  }
}
