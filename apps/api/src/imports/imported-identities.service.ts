import { Injectable } from '@nestjs/common';
import { GatehouseError, type FieldError, type ProjectContext } from '@gatehouse/domain';
import {
  IdentitiesRepository,
  IdentityProvidersRepository,
  type PortableIdentity,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';

/** A line of an import with its customer and identities. */
interface LineWithIdentities {
  line: number;
  customer: { id: string };
  identities: PortableIdentity[];
}

/** Validates and inserts the identities of imported customers. */
@Injectable()
export class ImportedIdentitiesService {
  constructor(
    private readonly identities: IdentitiesRepository,
    private readonly providers: IdentityProvidersRepository,
  ) {}

  /** @throws GatehouseError `validation_failed` */
  validate(list: PortableIdentity[]): PortableIdentity[] {
    const keys = list.map(identityKey);
    const errors = keys.flatMap((key, index) =>
      keys.indexOf(key) < index ? [fieldError(index, 'subject', 'repeated', 'must not be repeated')] : [],
    );
    if (errors.length > 0) throw new GatehouseError('validation_failed', { errors });
    return list;
  }

  /**
   * Returns the errors of the lines with identities that a customer has already, or whose provider the project lacks, by
   * line. Locks the providers against deletion.
   */
  async findErrors(
    tx: Tx,
    { id: projectId }: ProjectContext,
    lines: LineWithIdentities[],
  ): Promise<Map<number, FieldError[]>> {
    const all = lines.flatMap(({ identities }) => identities);
    if (all.length === 0) return new Map();
    const slugs = [...new Set(all.map(({ provider }) => provider))];
    const providers = await this.providers.lockSlugs(tx, projectId, slugs);
    const taken = new Set((await this.identities.findTaken(tx, projectId, all)).map(identityKey));
    const findError = (identity: PortableIdentity, index: number): FieldError[] => {
      if (!providers.has(identity.provider)) return [unknownProviderError(index)];
      return taken.has(identityKey(identity)) ? [takenError(index)] : [];
    };
    const errors = lines.map(({ line, identities }): [number, FieldError[]] => [
      line,
      identities.flatMap(findError),
    ]);
    return new Map(errors.filter(([, list]) => list.length > 0));
  }

  /** Inserts the identities of customers that the transaction has inserted. @throws GatehouseError `conflict` */
  async insert(tx: Tx, { id }: ProjectContext, lines: LineWithIdentities[]): Promise<void> {
    const identities = lines.flatMap(({ customer, identities: list }) =>
      list.map((identity) => ({ ...identity, id: newId(), customerId: customer.id })),
    );
    if (identities.length === 0 || (await this.identities.insertImported(tx, id, identities))) return;
    throw new GatehouseError('conflict', {
      detail: 'An identity of the import was linked at the same time. Send the import again.',
    });
  }
}

/** Returns a text that equals that of the same identity only. */
export const identityKey = ({ provider, subject }: PortableIdentity): string => `${provider} ${subject}`;

function fieldError(index: number, name: keyof PortableIdentity, code: string, problem: string): FieldError {
  const field = `identities.${index}.${name}`;
  return { field, code, message: `${field} ${problem}` };
}

const unknownProviderError = (index: number): FieldError =>
  fieldError(
    index,
    'provider',
    'provider_not_found',
    'is not the slug of an identity provider of this project',
  );

const takenError = (index: number): FieldError =>
  fieldError(index, 'subject', 'identity_already_linked', 'already belongs to a customer of this project');
