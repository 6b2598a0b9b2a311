import { Injectable } from '@nestjs/common';
import { GatehouseError, type FieldError, type ProjectContext } from '@gatehouse/domain';
import { PasskeysRepository, type ImportedPasskey, type Tx } from '@gatehouse/persistence';
import { isPasskeyPublicKey, newId, now } from '@gatehouse/platform';
import { parseTime } from '../http/time-field.js';
import { PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import type { ImportedPasskeyFields } from './dto/import.request.js';

/** A validated passkey, whose customer has no final id yet. */
export type NewImportedPasskey = Omit<ImportedPasskey, 'customerId'>;

/** A line of an import with its customer and passkeys. */
interface LineWithPasskeys {
  line: number;
  customer: { id: string };
  passkeys: NewImportedPasskey[];
}

const UNKNOWN_AAGUID = '00000000-0000-0000-0000-000000000000';

/** Validates and inserts the passkeys of imported customers. */
@Injectable()
export class ImportedPasskeysService {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly ceremonies: PasskeyCeremoniesService,
  ) {}

  /** @throws GatehouseError `validation_failed` */
  async validate(project: ProjectContext, list: ImportedPasskeyFields[]): Promise<NewImportedPasskey[]> {
    if (list.length === 0) return [];
    const rpId = this.ceremonies.findRelyingParty(project)?.id ?? null;
    const errors: FieldError[] = [];
    const seen = new Set<string>();
    for (const [index, { credentialId, publicKey, rpId: sentRpId }] of list.entries()) {
      const add = (name: keyof ImportedPasskeyFields, code: string, problem: string) => {
        const field = `passkeys.${index}.${name}`;
        errors.push({ field, code, message: `${field} ${problem}` });
      };
      if (rpId === null) add('rpId', 'not_allowed', 'cannot be imported: the project has no passkeys.rpId');
      else if (sentRpId !== rpId) add('rpId', 'not_allowed', `must be ${rpId}, the rpId of the project`);
      if (seen.has(credentialId)) add('credentialId', 'repeated', 'must not be repeated');
      seen.add(credentialId);
      if (!(await isPasskeyPublicKey(Buffer.from(publicKey, 'base64url'))))
        add('publicKey', 'invalid', 'must be a COSE key for ES256, EdDSA, or RS256 with at least 2048 bits');
    }
    if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
    return list.map(toPasskey);
  }

  /**
   * Returns the errors of the lines with passkeys that the project has already, by line. Locks the `rpId` of the project.
   * @throws GatehouseError `conflict` if it has changed since the lines were validated
   */
  async findTaken(
    tx: Tx,
    project: ProjectContext,
    lines: LineWithPasskeys[],
  ): Promise<Map<number, FieldError[]>> {
    const ids = lines.flatMap(({ passkeys }) => passkeys.map(({ credentialId }) => credentialId));
    if (ids.length === 0) return new Map();
    if (!(await this.ceremonies.isSameSite(tx, project)))
      throw new GatehouseError('conflict', {
        detail: 'passkeys.rpId has changed during the import. Send the import again.',
      });
    const taken = await this.passkeys.findTakenCredentials(tx, project.id, ids);
    const errors = lines.map(({ line, passkeys }): [number, FieldError[]] => [
      line,
      passkeys.flatMap(({ credentialId }, index) =>
        taken.has(credentialId.toString('base64url')) ? [takenError(index)] : [],
      ),
    ]);
    return new Map(errors.filter(([, list]) => list.length > 0));
  }

  /** Inserts the passkeys of customers that the transaction has inserted. @throws GatehouseError `conflict` */
  async insert(tx: Tx, { id }: ProjectContext, lines: LineWithPasskeys[]): Promise<void> {
    const passkeys = lines.flatMap(({ customer, passkeys: list }) =>
      list.map((passkey) => ({ ...passkey, customerId: customer.id })),
    );
    if (passkeys.length === 0 || (await this.passkeys.insertImported(tx, id, passkeys))) return;
    throw new GatehouseError('conflict', {
      detail: 'A passkey of the import was added at the same time. Send the import again.',
    });
  }
}

function toPasskey(fields: ImportedPasskeyFields): NewImportedPasskey {
  const { credentialId, publicKey, userHandle } = fields;
  return {
    id: newId(),
    credentialId: Buffer.from(credentialId, 'base64url'),
    publicKey: Buffer.from(publicKey, 'base64url'),
    userHandle: userHandle === undefined ? null : Buffer.from(userHandle, 'base64url'),
    counter: fields.counter ?? 0,
    transports: fields.transports ?? [],
    deviceBound: fields.deviceType === 'singleDevice',
    backedUp: fields.backedUp ?? false,
    aaguid: fields.aaguid ?? UNKNOWN_AAGUID,
    name: fields.name ?? 'Passkey',
    lastUsedAt: parseTime(fields.lastUsedAt),
    createdAt: parseTime(fields.createdAt) ?? now(),
  };
}

function takenError(index: number): FieldError {
  const field = `passkeys.${index}.credentialId`;
  return { field, code: 'passkey_taken', message: `${field} already belongs to a passkey of this project` };
}
