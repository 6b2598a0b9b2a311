import { Injectable } from '@nestjs/common';
import { ActorsRepository } from '@gatehouse/persistence';

/**
 * The names of actors, by the actor keys that records contain: `key:<id>`, `operator:<id>`, `customer:<id>`.
 */
export type ActorNameMap = ReadonlyMap<string, string>;

/** Resolves actors to names: the email address of an operator or a customer, or the name of an API key. */
@Injectable()
export class ActorNamesService {
  constructor(private readonly actors: ActorsRepository) {}

  /**
   * Returns the names of actors. Deleted actors have no name.
   * @param actorKeys the actor keys that records contain
   */
  async resolve(actorKeys: (string | null)[]): Promise<ActorNameMap> {
    const ids = new Set(actorKeys.flatMap((actorKey) => actorKey?.split(':')[1] ?? []));
    const actors = await this.actors.findNames([...ids]);
    return new Map(actors.map(({ type, id, name }) => [`${type}:${id}`, name]));
  }
}

/** Returns the name of an actor, or null if there is no actor or the actor has been deleted. */
export const findActorName = (names: ActorNameMap, actorKey: string | null): string | null =>
  names.get(actorKey ?? '') ?? null;
