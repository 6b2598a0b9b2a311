import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type {
  AuditAction,
  AuditActor,
  Customer,
  GatehouseError,
  Operator,
  ProjectContext,
} from '@gatehouse/domain';
import { AuditLogRepository, Transactions, type NewAuditEntry, type Tx } from '@gatehouse/persistence';
import { Config, errorMessage, LOGGER, type Logger } from '@gatehouse/platform';
import { maskAddress } from '../http/client-address.js';
import { callerIp, clientIp, getUserAgent, type GatehouseRequest } from '../http/request-context.js';

/** What was done; who did it, and from where, the request says. */
export interface AuditedAction {
  action: AuditAction;
  /** Null for what concerns no organization, such as operators. */
  organizationId: string | null;
  projectId: string | null;
  targetId: string;
  /** Ids, numbers and names of fields. Never a secret, a value of a field, or anything personal. */
  details?: Record<string, unknown>;
  /** Who acted, where the request comes without a credential: the holder of an e-mailed link. */
  customerId?: string;
  /** The same of operators: who is about to sign in. */
  operatorId?: string;
}

/** Something that was done to a customer. */
export const customerAction = (
  action: Extract<AuditAction, `customer.${string}`>,
  { id, projectId }: Pick<Customer, 'id' | 'projectId'>,
  { organizationId }: Pick<ProjectContext, 'organizationId'>,
  details: Record<string, unknown> = {},
): AuditedAction => ({ action, organizationId, projectId, targetId: id, details });

/** Something that was done to an operator. It belongs to no organization, and only operators read of it. */
export const operatorAction = (
  action: Extract<AuditAction, `operator.${string}`>,
  { id }: Pick<Operator, 'id'>,
  details: Record<string, unknown> = {},
): AuditedAction => ({ action, organizationId: null, projectId: null, targetId: id, details });

/** A request under way, with what it was refused. */
interface AuditedRequest {
  request: GatehouseRequest;
  refusals: AuditedAction[];
}

/**
 * Writes the audit log, in the transaction of the change itself. The actor is taken from the current request, so that no
 * service has to pass it on; without a request it is the system.
 */
@Injectable()
export class AuditService {
  private readonly requestStore = new AsyncLocalStorage<AuditedRequest>();

  constructor(
    private readonly log: AuditLogRepository,
    private readonly transactions: Transactions,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Writes who did something, in its transaction. */
  async record(tx: Tx, done: AuditedAction): Promise<void> {
    await this.log.insert(tx, this.toEntry(done));
  }

  /** Records an action on the whole installation, for each organization that no other organization has created. */
  async recordForInstallation(
    tx: Tx,
    done: Omit<AuditedAction, 'organizationId' | 'projectId' | 'customerId'>,
  ): Promise<void> {
    for (const organizationId of await this.log.listRootOrganizationIds(tx)) {
      await this.record(tx, { ...done, organizationId, projectId: null });
    }
  }

  /**
   * Notes that a request was refused something. Written when the request has failed, since the transaction that
   * found out is rolled back, and a second connection beside it could be waited for in vain.
   * @returns the refusal, to be thrown
   */
  noteRefusal(wanted: AuditedAction, refusal: GatehouseError): GatehouseError {
    const details = { ...wanted.details, outcome: 'refused', code: refusal.code };
    this.requestStore.getStore()?.refusals.push({ ...wanted, details });
    return refusal;
  }

  /** Runs the work of a request, whose caller is the one who acts. */
  async runWithRequest<Result>(request: GatehouseRequest, work: () => Promise<Result>): Promise<Result> {
    const audited: AuditedRequest = { request, refusals: [] };
    return this.requestStore.run(audited, async () => {
      try {
        return await work();
      } catch (error) {
        if (audited.refusals.length > 0) await this.recordRefusals(audited.refusals);
        throw error;
      }
    });
  }

  private async recordRefusals(refused: AuditedAction[]): Promise<void> {
    try {
      await this.transactions.run(async (tx) => {
        for (const attempt of refused) await this.record(tx, attempt);
      });
    } catch (error) {
      // Nothing was changed: the answer is still the refusal.
      this.logger.error({ reason: errorMessage(error) }, 'audit entry of a rejected action not written');
    }
  }

  private toEntry({ details = {}, customerId, operatorId, ...done }: AuditedAction): NewAuditEntry {
    const request = this.requestStore.getStore()?.request;
    if (!request) return { ...done, details, actor: system, ip: null, userAgent: null, requestId: null };
    const actor = resolveActor(request, { customerId, operatorId });
    // A key could vouch for any address to hide its own.
    const ip = actor.type === 'customer' ? clientIp(request) : callerIp(request);
    const { requestId } = request;
    return {
      ...done,
      details,
      actor,
      ip: this.addressToStore(ip),
      userAgent: getUserAgent(request),
      requestId,
    };
  }

  /** Before it is written: what is not stored cannot leak, nor need erasure. */
  private addressToStore(ip: string | null): string | null {
    const { ipMode } = this.config.audit;
    if (!ip || ipMode === 'off') return null;
    return ipMode === 'masked' ? maskAddress(ip) : ip;
  }
}

const system: AuditActor = { type: 'system', id: null };

/** A publishable key is known to everybody, so it is nobody. */
function resolveActor(
  { caller }: GatehouseRequest,
  { customerId, operatorId }: Pick<AuditedAction, 'customerId' | 'operatorId'>,
): AuditActor {
  if (operatorId) return { type: 'operator', id: operatorId };
  if (customerId) return { type: 'customer', id: customerId };
  if (caller?.kind === 'secret-key') return { type: 'key', id: caller.keyId };
  if (caller?.kind === 'operator') return { type: 'operator', id: caller.operatorId };
  if (caller?.kind === 'access-token') return { type: 'customer', id: caller.customer.id };
  throw new Error('audited action has no actor');
}
