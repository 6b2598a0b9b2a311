import { Injectable } from '@nestjs/common';
import { ActorsRepository } from '@gatehouse/persistence';

/** What those who acted are called, by what stands in records: `key:<id>`, `operator:<id>`, `customer:<id>`. */
export type ActorNameMap = ReadonlyMap<string, string>;

/** Of an operator or a customer the e-mail address, of a key its name. */
@Injectable()
export class ActorNamesService {
  constructor(private readonly actors: ActorsRepository) {}

  /** @param acted as it stands in records; who is gone has no name */
  async resolve(acted: (string | null)[]): Promise<ActorNameMap> {
    const ids = new Set(acted.flatMap((by) => by?.split(':')[1] ?? []));
    const named = await this.actors.findNames([...ids]);
    return new Map(named.map(({ type, id, name }) => [`${type}:${id}`, name]));
  }
}

/** The name of one of them. */
export const findActorName = (names: ActorNameMap, by: string | null): string | null =>
  names.get(by ?? '') ?? null;
