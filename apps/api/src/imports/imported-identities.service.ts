import { Injectable } from '@nestjs/common';
import { GatehouseError, type FieldError, type ProjectContext } from '@gatehouse/domain';
import {
  IdentitiesRepository,
  IdentityProvidersRepository,
  type PortableIdentity,
  type Tx,
} from '@gatehouse/persistence';
import { newId } from '@gatehouse/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { SeenValues } from './seen-values.js';
import { omittedValueWarning } from './omitted-values.js';
import type { ReadLine } from './read-line.js';

/** A validated identity. */
export interface NewImportedIdentity extends PortableIdentity {
  /** Position in the line. */
  position: number;
}

/** A line of an import, with its customer and identities. */
interface LineWithIdentities {
  customer: { id: string };
  identities: NewImportedIdentity[];
  warnings: FieldError[];
}

/** Validates and inserts imported customers' identities. */
@Injectable()
export class ImportedIdentitiesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly identities: IdentitiesRepository,
    private readonly providers: IdentityProvidersRepository,
  ) {}

  /** Returns the identities without duplicates, and a warning for each duplicate. */
  validate({ input, positionOf }: ReadLine): { identities: NewImportedIdentity[]; warnings: FieldError[] } {
    const identities: NewImportedIdentity[] = [];
    const warnings: FieldError[] = [];
    const seen = new Set<string>();
    for (const [index, { provider, subject }] of (input.identities ?? []).entries()) {
      const identity = { provider, subject, position: positionOf('identities', index) };
      const key = identityKey(identity);
      if (seen.has(key)) warnings.push(toWarning(identity, problems.repeated));
      else identities.push(identity);
      seen.add(key);
    }
    return { identities, warnings };
  }

  /**
   * Leaves out identities whose provider does not exist in the project, and identities that already belong to a
   * customer. Adds a warning unless that is the line's customer. Locks the providers against deletion.
   * @param seen identities from earlier lines that are not stored
   */
  async omitUnusable(
    tx: Tx,
    { id: projectId }: ProjectContext,
    lines: LineWithIdentities[],
    seen: SeenValues,
  ): Promise<void> {
    const all = lines.flatMap(({ identities }) => identities);
    if (all.length === 0) return;
    const slugs = [...new Set(all.map(({ provider }) => provider))];
    const providers = await this.providers.lockSlugs(tx, projectId, slugs);
    const found = await this.identities.findOwners(tx, projectId, all);
    const owners = new Map(found.map((identity) => [identityKey(identity), identity.customerId]));
    for (const line of lines)
      line.identities = line.identities.filter((identity) => {
        const owner = owners.get(identityKey(identity));
        if (owner === line.customer.id) return false;
        const isTaken = owner !== undefined || seen.has(identityKey(identity));
        if (!isTaken && providers.has(identity.provider)) return true;
        line.warnings.push(toWarning(identity, isTaken ? problems.taken : problems.unknownProvider));
        return false;
      });
  }

  /**
   * Inserts the identities of the lines.
   * @throws GatehouseError `conflict` if one of them has been linked in the meantime
   */
  async insert(tx: Tx, project: ProjectContext, lines: LineWithIdentities[]): Promise<void> {
    const identities = lines.flatMap(({ customer, identities: list }) =>
      list.map(({ provider, subject }) => ({ provider, subject, id: newId(), customerId: customer.id })),
    );
    if (identities.length === 0 || (await this.accounts.linkAll(tx, project, identities))) return;
    throw new GatehouseError('conflict', {
      detail: 'An identity of the import was linked at the same time. Send the import again.',
    });
  }
}

/** Returns a string that only equal identities share. */
export const identityKey = ({ provider, subject }: PortableIdentity): string =>
  `identity ${provider} ${subject}`;

interface IdentityProblem {
  name: keyof PortableIdentity;
  code: string;
  problem: string;
}

const problems = {
  repeated: { name: 'subject', code: 'repeated', problem: 'is repeated' },
  taken: {
    name: 'subject',
    code: 'identity_already_linked',
    problem: 'already belongs to another customer of this project',
  },
  unknownProvider: {
    name: 'provider',
    code: 'provider_not_found',
    problem: 'is not the slug of an identity provider of this project',
  },
} as const satisfies Record<string, IdentityProblem>;

function toWarning({ position }: NewImportedIdentity, { name, code, problem }: IdentityProblem): FieldError {
  const field = `identities.${position}.${name}`;
  return omittedValueWarning({ field, code, message: `${field} ${problem}` });
}
