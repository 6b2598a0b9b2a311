import { Injectable } from '@nestjs/common';
import { GatehouseError, type FieldError, type ProjectContext } from '@gatehouse/domain';
import { PasskeysRepository, type ImportedPasskey, type Tx } from '@gatehouse/persistence';
import { isPasskeyPublicKey, newId, now } from '@gatehouse/platform';
import { parseTime } from '../http/input/time-field.js';
import { PasskeyCeremoniesService } from '../passkeys/passkey-ceremonies.service.js';
import type { ImportedPasskeyFields } from './dto/import.request.js';
import type { SeenValues } from './seen-values.js';
import { omittedValueWarning } from './omitted-values.js';
import type { ReadLine } from './read-line.js';

/** A validated passkey. Its customer has no final id yet. */
export interface NewImportedPasskey extends Omit<ImportedPasskey, 'customerId'> {
  /** Position in the line. */
  position: number;
}

/** A line of an import, with its customer and passkeys. */
interface LineWithPasskeys {
  customer: { id: string };
  passkeys: NewImportedPasskey[];
  warnings: FieldError[];
}

const UNKNOWN_AAGUID = '00000000-0000-0000-0000-000000000000';

/** Validates and inserts imported customers' passkeys. */
@Injectable()
export class ImportedPasskeysService {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly ceremonies: PasskeyCeremoniesService,
  ) {}

  /** Returns the passkeys that the project can use, and warnings about the others. */
  async validate(
    project: ProjectContext,
    { input, positionOf }: ReadLine,
  ): Promise<{ passkeys: NewImportedPasskey[]; warnings: FieldError[] }> {
    const passkeys: NewImportedPasskey[] = [];
    const warnings: FieldError[] = [];
    const rpId = input.passkeys?.length ? (this.ceremonies.findRelyingParty(project)?.id ?? null) : null;
    const seen = new Set<string>();
    for (const [index, fields] of (input.passkeys ?? []).entries()) {
      const position = positionOf('passkeys', index);
      const problem = seen.has(fields.credentialId)
        ? problems.repeated
        : (findRpIdProblem(fields, rpId) ?? (await findKeyProblem(fields)));
      seen.add(fields.credentialId);
      if (problem) warnings.push(omittedValueWarning(toError(position, problem)));
      else passkeys.push(toPasskey(fields, position));
    }
    return { passkeys, warnings };
  }

  /**
   * Leaves out passkeys that the project already has, with a warning unless the line's customer owns them. Locks the
   * project's `rpId`.
   * @param seen passkeys from earlier lines that are not stored
   * @throws GatehouseError `conflict` if the `rpId` has changed since the lines were validated
   */
  async omitTaken(
    tx: Tx,
    project: ProjectContext,
    lines: LineWithPasskeys[],
    seen: SeenValues,
  ): Promise<void> {
    const ids = lines.flatMap(({ passkeys }) => passkeys.map(({ credentialId }) => credentialId));
    if (ids.length === 0) return;
    if (!(await this.ceremonies.isSameSite(tx, project)))
      throw new GatehouseError('conflict', {
        detail: 'passkeys.rpId has changed during the import. Send the import again.',
      });
    const owners = await this.passkeys.findOwners(tx, project.id, ids);
    for (const line of lines)
      line.passkeys = line.passkeys.filter((passkey) => {
        const owner = owners.get(passkey.credentialId.toString('base64url'));
        const isTaken = owner !== undefined || seen.has(passkeyKey(passkey));
        if (isTaken && owner !== line.customer.id)
          line.warnings.push(omittedValueWarning(toError(passkey.position, problems.taken)));
        return !isTaken;
      });
  }

  /**
   * Inserts the passkeys of the lines.
   * @throws GatehouseError `conflict` if one of them has been added in the meantime
   */
  async insert(tx: Tx, { id }: ProjectContext, lines: LineWithPasskeys[]): Promise<void> {
    const passkeys = lines.flatMap(({ customer, passkeys: list }) =>
      list.map(({ position: _, ...passkey }) => ({ ...passkey, customerId: customer.id })),
    );
    if (passkeys.length === 0 || (await this.passkeys.insertImported(tx, id, passkeys))) return;
    throw new GatehouseError('conflict', {
      detail: 'A passkey of the import was added at the same time. Send the import again.',
    });
  }
}

function toPasskey(fields: ImportedPasskeyFields, position: number): NewImportedPasskey {
  const { credentialId, publicKey, userHandle } = fields;
  return {
    position,
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

/** Returns a string that only equal passkeys share. */
export const passkeyKey = ({ credentialId }: Pick<NewImportedPasskey, 'credentialId'>): string =>
  `passkey ${credentialId.toString('hex')}`;

interface PasskeyProblem {
  name: keyof ImportedPasskeyFields;
  code: string;
  problem: string;
}

const problems = {
  repeated: { name: 'credentialId', code: 'repeated', problem: 'is repeated' },
  taken: {
    name: 'credentialId',
    code: 'passkey_taken',
    problem: 'already belongs to a passkey of this project',
  },
  unknownKey: {
    name: 'publicKey',
    code: 'invalid',
    problem: 'must be a COSE key for ES256, EdDSA, or RS256 with at least 2048 bits',
  },
} as const satisfies Record<string, PasskeyProblem>;

/** @param projectRpId the project's `rpId`, or null */
function findRpIdProblem({ rpId }: ImportedPasskeyFields, projectRpId: string | null): PasskeyProblem | null {
  if (rpId === projectRpId) return null;
  const problem =
    projectRpId === null
      ? 'cannot be imported: the project has no passkeys.rpId'
      : `must be ${projectRpId}, the rpId of the project`;
  return { name: 'rpId', code: 'not_allowed', problem };
}

const findKeyProblem = async ({ publicKey }: ImportedPasskeyFields): Promise<PasskeyProblem | null> =>
  (await isPasskeyPublicKey(Buffer.from(publicKey, 'base64url'))) ? null : problems.unknownKey;

function toError(position: number, { name, code, problem }: PasskeyProblem): FieldError {
  const field = `passkeys.${position}.${name}`;
  return { field, code, message: `${field} ${problem}` };
}
