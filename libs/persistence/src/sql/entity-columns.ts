import { getMetadataArgsStorage } from 'typeorm';
import { timestamptz, type ResultType } from './statements.js';

/** A column as declared by its table's entity. */
interface EntityColumn {
  name: string;
  /** SQL for the type. */
  type: string;
  nullable: boolean;
}

type EntityClass<Entity> = new () => Entity;

/** Returns an entity property's column. @throws Error if the entity does not declare it */
function entityColumn<Entity>(entity: EntityClass<Entity>, property: string): EntityColumn {
  const column = getMetadataArgsStorage().columns.find(
    ({ target, propertyName }) => target === entity && propertyName === property,
  );
  if (!column) throw new Error(`${entity.name} has no column for ${property}`);
  const { name = property, type, nullable = false, array = false } = column.options;
  return { name, type: `${String(type)}${array ? '[]' : ''}`, nullable };
}

/** Returns a column list, such as `id, first_name`. */
export const columnList = <Entity>(
  entity: EntityClass<Entity>,
  properties: readonly (keyof Entity & string)[],
): string => properties.map((property) => entityColumn(entity, property).name).join(', ');

/** Returns a list of columns aliased to their property names, such as `c.id, c.first_name AS "firstName"`. */
export const selectList = <Entity>(
  entity: EntityClass<Entity>,
  alias: string,
  properties: readonly (keyof Entity & string)[],
): string =>
  properties
    .map((property) => {
      const { name } = entityColumn(entity, property);
      return name === property ? `${alias}.${name}` : `${alias}.${name} AS "${property}"`;
    })
    .join(', ');

/** Returns the row map for `selectList`. */
export const selectedRow = <Entity, Property extends keyof Entity & string>(
  entity: EntityClass<Entity>,
  properties: readonly Property[],
): { readonly [Name in Property]: ResultType<Entity[Name]> } => {
  const columns = properties.map((property) => {
    const { type, nullable } = entityColumn(entity, property);
    return [property, { type: type === 'timestamptz' ? timestamptz.type : type, nullable }];
  });
  return Object.fromEntries(columns) as { [Name in Property]: ResultType<Entity[Name]> };
};

/** Returns the assignments for an UPDATE, such as `email = $3, first_name = $4`. */
export const assignmentList = <Entity>(
  entity: EntityClass<Entity>,
  properties: readonly (keyof Entity & string)[],
  firstParameter: number,
): string =>
  properties
    .map((property, index) => `${entityColumn(entity, property).name} = $${firstParameter + index}`)
    .join(', ');

/** Returns column definitions for a record set, named after the properties, such as `id uuid, "firstName" text`. */
export const recordColumns = <Entity>(
  entity: EntityClass<Entity>,
  properties: readonly (keyof Entity & string)[],
): string => properties.map((property) => `"${property}" ${entityColumn(entity, property).type}`).join(', ');

/** Returns the assignments for an UPDATE from a record set, such as `first_name = u."firstName"`. */
export const recordAssignments = <Entity>(
  entity: EntityClass<Entity>,
  properties: readonly (keyof Entity & string)[],
  alias: string,
): string =>
  properties.map((property) => `${entityColumn(entity, property).name} = ${alias}."${property}"`).join(', ');
