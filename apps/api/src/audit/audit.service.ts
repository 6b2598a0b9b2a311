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

/** An action to record. The actor and the IP address are taken from the current request. */
export interface AuditedAction {
  action: AuditAction;
  /** Null for actions that concern no organization, such as actions on operators. */
  organizationId: string | null;
  projectId: string | null;
  targetId: string;
  /** Ids, numbers, field names, and old and new settings from `auditChanges`. Never a secret or customer data. */
  details?: Record<string, unknown>;
  /** The acting customer of a request without a credential, such as one with an emailed link. */
  customerId?: string;
  /** The acting secret key, if the request contains a credential that this key created. */
  keyId?: string;
  /** The acting operator of a request without a credential, such as a sign-in. */
  operatorId?: string;
}

export const customerAction = (
  action: Extract<AuditAction, `customer.${string}`>,
  { id, projectId }: Pick<Customer, 'id' | 'projectId'>,
  { organizationId }: Pick<ProjectContext, 'organizationId'>,
  details: Record<string, unknown> = {},
): AuditedAction => ({ action, organizationId, projectId, targetId: id, details });

/** Creates an action on an operator. It does not belong to an organization, so only operators can read it. */
export const operatorAction = (
  action: Extract<AuditAction, `operator.${string}`>,
  { id }: Pick<Operator, 'id'>,
  details: Record<string, unknown> = {},
): AuditedAction => ({ action, organizationId: null, projectId: null, targetId: id, details });

/** A request in progress and the actions that it rejected. */
interface AuditedRequest {
  request: GatehouseRequest;
  rejections: AuditedAction[];
}

/**
 * Writes the audit log in the same transaction as the change. The actor is taken from the current request, so
 * that services do not have to pass it on. Without a request, the actor is the system.
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

  record(tx: Tx, action: AuditedAction): void {
    this.log.insert(tx, this.toEntry(action));
  }

  /**
   * Records an installation-wide action for each root organization (one that no other organization created).
   */
  async recordForInstallation(
    tx: Tx,
    action: Omit<AuditedAction, 'organizationId' | 'projectId' | 'customerId'>,
  ): Promise<void> {
    for (const organizationId of await this.log.listRootOrganizationIds(tx)) {
      this.record(tx, { ...action, organizationId, projectId: null });
    }
  }

  /**
   * Notes that an action was rejected. The entry is written after the request has failed: the transaction that
   * rejected the action is rolled back, and waiting for a second connection while holding the first could
   * deadlock.
   * @returns the error to throw
   */
  noteRejection(action: AuditedAction, error: GatehouseError): GatehouseError {
    const details = { ...action.details, outcome: 'refused', code: error.code };
    this.requestStore.getStore()?.rejections.push({ ...action, details });
    return error;
  }

  /** Runs `work` with the request's caller as the actor. */
  async runWithRequest<Result>(request: GatehouseRequest, work: () => Promise<Result>): Promise<Result> {
    const audited: AuditedRequest = { request, rejections: [] };
    return this.requestStore.run(audited, async () => {
      try {
        return await work();
      } catch (error) {
        if (audited.rejections.length > 0) await this.recordRejections(audited.rejections);
        throw error;
      }
    });
  }

  private async recordRejections(rejections: AuditedAction[]): Promise<void> {
    try {
      // oxlint-disable-next-line gatehouse/joined-transactions -- the request has failed
      await this.transactions.run((tx) => {
        for (const action of rejections) this.record(tx, action);
      });
    } catch (error) {
      // No data was changed, so the response is still the rejection.
      this.logger.error({ reason: errorMessage(error) }, 'audit entry for a rejected action not written');
    }
  }

  private toEntry({ details = {}, customerId, keyId, operatorId, ...action }: AuditedAction): NewAuditEntry {
    const request = this.requestStore.getStore()?.request;
    if (!request) return { ...action, details, actor: system, ip: null, userAgent: null, requestId: null };
    const actor = resolveActor(request, { customerId, keyId, operatorId });
    // Other callers can send any client IP (X-Client-IP), so the address of their own connection is recorded.
    const isBrowser = actor.type === 'customer' || actor.type === 'support';
    const ip = isBrowser ? clientIp(request) : callerIp(request);
    const { requestId } = request;
    return {
      ...action,
      details: actor.type === 'support' ? { ...details, support: supportDetails(request) } : details,
      actor,
      ip: this.addressToStore(ip),
      userAgent: getUserAgent(request),
      requestId,
    };
  }

  /**
   * Applies `AUDIT_IP` before the entry is written: an address that is not stored cannot leak and needs no
   * erasure.
   */
  private addressToStore(ip: string | null): string | null {
    const { ipMode } = this.config.audit;
    if (!ip || ipMode === 'off') return null;
    return ipMode === 'masked' ? maskAddress(ip) : ip;
  }
}

const system: AuditActor = { type: 'system', id: null };

/** Returns the session that a sign-in token opened, and the reason why the token was created. */
const supportDetails = ({ caller }: GatehouseRequest) =>
  caller?.kind === 'access-token' && { sessionId: caller.sessionId, reason: caller.support?.reason ?? null };

/** Returns a request's actor. A publishable key is public, so it does not identify an actor. */
function resolveActor(
  { caller }: GatehouseRequest,
  { customerId, keyId, operatorId }: Pick<AuditedAction, 'customerId' | 'keyId' | 'operatorId'>,
): AuditActor {
  // Takes precedence over the customer of an emailed link, because a support session can also send the link's token.
  if (caller?.kind === 'access-token' && caller.support) return { type: 'support', id: caller.support.keyId };
  if (operatorId) return { type: 'operator', id: operatorId };
  if (customerId) return { type: 'customer', id: customerId };
  if (keyId) return { type: 'key', id: keyId };
  if (caller?.kind === 'secret-key') return { type: 'key', id: caller.keyId };
  if (caller?.kind === 'operator') return { type: 'operator', id: caller.operatorId };
  if (caller?.kind === 'access-token') return { type: 'customer', id: caller.customer.id };
  throw new Error('audited action has no actor');
}
