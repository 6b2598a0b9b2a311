import { Injectable } from '@nestjs/common';
import { isUuid, parsePublicId } from '@gatehouse/domain';
import { ActorsRepository, type AuditEntry } from '@gatehouse/persistence';

/**
 * Actor names by actor key, as stored in records: `key:<id>`, `operator:<id>`, `customer:<id>`. An actor
 * `support:<id>` has the name of the key that created the sign-in token.
 */
export type ActorNameMap = ReadonlyMap<string, string>;

/** Resolves actors to names: an operator's or a customer's email address, or an API key's name. */
@Injectable()
export class ActorNamesService {
  constructor(private readonly actors: ActorsRepository) {}

  /**
   * Returns the actors' names. Deleted actors have no name.
   * @param actorKeys actor keys, as stored in records
   */
  async resolve(actorKeys: (string | null)[]): Promise<ActorNameMap> {
    const ids = new Set(actorKeys.flatMap((actorKey) => actorKey?.split(':')[1] ?? []));
    const actors = await this.actors.findNames([...ids]);
    return new Map(actors.map(({ type, id, name }) => [`${type}:${id}`, name]));
  }

  /** Returns the current name of each entry's target, by entry id. Deleted targets have no name. */
  async resolveTargets(entries: AuditEntry[]): Promise<ActorNameMap> {
    const uuids = new Map(entries.flatMap((entry) => targetUuid(entry) ?? []));
    const targets = await this.actors.findTargetNames([...new Set(uuids.values())]);
    const names = new Map(targets.map(({ type, id, name }) => [`${type}:${id}`, name]));
    return new Map(
      entries.flatMap(({ id, targetType }) => {
        const name = names.get(`${targetType}:${uuids.get(id)}`);
        return name === undefined ? [] : [[id, name] as const];
      }),
    );
  }
}

/** Returns an entry's id with its target's UUID; null for a target without a UUID, such as a signing key. */
function targetUuid({ id, targetId }: AuditEntry): [[string, string]] | null {
  const uuid = isUuid(targetId) ? targetId : parsePublicId('endpoint', targetId);
  return uuid ? [[id, uuid]] : null;
}

/** Returns an actor's name, or null if there is no actor or the actor has been deleted. */
export const findActorName = (names: ActorNameMap, actorKey: string | null): string | null =>
  names.get((actorKey ?? '').replace(/^support:/, 'key:')) ?? null;
