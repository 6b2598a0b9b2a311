import { resolveReference } from './resolve-reference.mjs';

type Json = Record<string, any>;

/** Direction in which a value is sent. Requests must not become narrower, and responses must not become wider. */
type Direction = 'request' | 'response';

/** Schema keywords that limit a value from below, and from above. */
const LOWER_LIMITS = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum', 'minProperties'];
const UPPER_LIMITS = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum', 'maxProperties'];

/**
 * Returns the changes between two OpenAPI documents that can break a client of the first document. Clients ignore
 * unknown properties and enum values in responses, so additions there are compatible.
 * @returns one sentence for each change, beginning with its location, such as `POST /v1/events request /type`
 */
export function findBreakingChanges(before: Json, after: Json): string[] {
  return operationsOf(before).flatMap(({ method, path, operation }) => {
    const current = after['paths'][path]?.[method] as Json | undefined;
    const location = `${method.toUpperCase()} ${path}`;
    if (!current) return [`${location}: the operation was removed`];
    const comparison = new Comparison(before, after);
    return [
      ...comparison.compareParameters(location, operation, current),
      ...comparison.compareRequestBodies(location, operation['requestBody'], current['requestBody']),
      ...comparison.compareResponses(location, operation['responses'], current['responses']),
    ];
  });
}

/** Returns the changes between two versions of docs/events.schema.json that can break a receiver of events. */
export function findBreakingEventChanges(before: Json, after: Json): string[] {
  const comparison = new Comparison(before, after);
  return Object.keys(before['$defs']).flatMap((name) =>
    after['$defs'][name]
      ? comparison.compareSchemas(name, before['$defs'][name], after['$defs'][name], 'response')
      : [`${name}: the event type was removed`],
  );
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

const operationsOf = (document: Json): { method: string; path: string; operation: Json }[] =>
  Object.entries<Json>(document['paths']).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      method,
      path,
      operation: item[method] as Json,
    })),
  );

/** A comparison with one of a schema's alternatives. */
interface Alternative {
  hasSameType: boolean;
  changes: string[];
}

class Comparison {
  /** Pairs of schemas that are being compared: a schema may contain itself. */
  private readonly pending = new Set<string>();

  constructor(
    private readonly before: Json,
    private readonly after: Json,
  ) {}

  compareParameters(location: string, before: Json, after: Json): string[] {
    const key = ({ in: where, name }: Json): string => `${where} parameter ${name}`;
    const list = (operation: Json, document: Json): Map<string, Json> =>
      new Map(
        ((operation['parameters'] ?? []) as Json[])
          .map((parameter) => resolveReference(parameter, document))
          .map((parameter) => [key(parameter), parameter]),
      );
    const [old, current] = [list(before, this.before), list(after, this.after)];
    return [
      ...[...old].flatMap(([name, parameter]) => {
        const now = current.get(name);
        if (!now) return [`${location} ${name}: the parameter was removed`];
        return this.compareSchemas(`${location} ${name}`, parameter['schema'], now['schema'], 'request');
      }),
      ...[...current]
        .filter(([name, parameter]) => parameter['required'] && !old.get(name)?.['required'])
        .map(([name]) => `${location} ${name}: the parameter became required`),
    ];
  }

  compareRequestBodies(location: string, before?: Json, after?: Json): string[] {
    if (!before) return after?.['required'] ? [`${location}: a request body became required`] : [];
    if (!after) return [`${location}: the request body was removed`];
    const isRequired = after['required'] && !before['required'];
    return [
      ...(isRequired ? [`${location}: a request body became required`] : []),
      ...this.compareContents(`${location} request`, before['content'], after['content'], 'request'),
    ];
  }

  compareResponses(location: string, before: Json, after: Json): string[] {
    return Object.keys(before)
      .filter((status) => status.startsWith('2') || status.startsWith('3'))
      .flatMap((status) => {
        const old = resolveReference(before[status], this.before);
        if (!after[status]) return [`${location}: the response ${status} was removed`];
        const current = resolveReference(after[status], this.after);
        const missing = Object.keys(old['headers'] ?? {}).filter((name) => !current['headers']?.[name]);
        return [
          ...missing.map((name) => `${location} ${status}: the header ${name} was removed`),
          ...this.compareContents(`${location} ${status}`, old['content'], current['content'], 'response'),
        ];
      });
  }

  private compareContents(
    location: string,
    before: Json = {},
    after: Json = {},
    direction: Direction,
  ): string[] {
    return Object.keys(before).flatMap((type) =>
      after[type]
        ? this.compareSchemas(`${location} `, before[type]['schema'], after[type]['schema'], direction)
        : [`${location}: the content type ${type} was removed`],
    );
  }

  compareSchemas(location: string, before: Json, after: Json, direction: Direction): string[] {
    const pair = `${before['$ref']} ${after['$ref']} ${direction}`;
    if (before['$ref'] && this.pending.has(pair)) return [];
    this.pending.add(pair);
    const [old, current] = [variantsOf(before, this.before), variantsOf(after, this.after)];
    const changes =
      direction === 'request'
        ? old.flatMap((variant) => {
            const found = current.map((each) => this.compareVariants(location, variant, each, direction));
            return pickChanges(found, `${location}: ${describe(variant)} is no longer accepted`);
          })
        : current.flatMap((variant) => {
            const found = old.map((each) => this.compareVariants(location, each, variant, direction));
            return pickChanges(found, `${location}: the value can also be ${describe(variant)}`);
          });
    this.pending.delete(pair);
    return changes;
  }

  private compareVariants(location: string, before: Json, after: Json, direction: Direction): Alternative {
    const typeChanges = compareTypes(location, before, after, direction);
    if (typeChanges.length > 0) return { hasSameType: false, changes: typeChanges };
    const changes = [
      ...(direction === 'request' ? compareValues(location, before, after) : []),
      ...(direction === 'request' ? compareLimits(location, before, after) : []),
      ...this.compareProperties(location, before, after, direction),
    ];
    for (const keyword of ['items', 'additionalProperties'])
      if (isObject(before[keyword]) && isObject(after[keyword]))
        changes.push(...this.compareSchemas(`${location}/*`, before[keyword], after[keyword], direction));
    return { hasSameType: true, changes };
  }

  private compareProperties(location: string, before: Json, after: Json, direction: Direction): string[] {
    const [old, current] = [(before['properties'] ?? {}) as Json, (after['properties'] ?? {}) as Json];
    const isOpen = direction === 'request' && after['additionalProperties'] === true;
    const wasRequired = new Set<string>(before['required']);
    const isRequired = new Set<string>(after['required']);
    const changes = Object.keys(old).flatMap((name) =>
      current[name]
        ? this.compareSchemas(`${location}/${name}`, old[name], current[name], direction)
        : isOpen
          ? []
          : [`${location}/${name}: the property was removed`],
    );
    const differing =
      direction === 'request'
        ? [...isRequired].filter((name) => !wasRequired.has(name))
        : [...wasRequired].filter((name) => !isRequired.has(name) && current[name]);
    const word = direction === 'request' ? 'required' : 'optional';
    return [...changes, ...differing.map((name) => `${location}/${name}: the property became ${word}`)];
  }
}

/** Returns the changes to the closest alternative, or the summary if none has the same type. */
function pickChanges(found: Alternative[], summary: string): string[] {
  if (found.some(({ changes }) => changes.length === 0)) return [];
  const sameType = found.filter((each) => each.hasSameType);
  const closest = sameType.sort((one, other) => one.changes.length - other.changes.length)[0];
  return closest?.changes ?? (found.length === 1 ? found[0]!.changes : [summary]);
}

function compareTypes(location: string, before: Json, after: Json, direction: Direction): string[] {
  const [old, current] = [typeOf(before), typeOf(after)];
  const [from, to] = direction === 'request' ? [old, current] : [current, old];
  const isCompatible = to === 'any' || from === to || (from === 'integer' && to === 'number');
  return isCompatible ? [] : [`${location}: the type changed from ${old} to ${current}`];
}

function compareValues(location: string, before: Json, after: Json): string[] {
  const [old, current] = [valuesOf(before), valuesOf(after)];
  if (!current) return [];
  if (!old) return [`${location}: the values were limited to ${current.join(', ')}`];
  return old
    .filter((value) => !current.includes(value))
    .map((value) => `${location}: the value ${value} was removed`);
}

function compareLimits(location: string, before: Json, after: Json): string[] {
  const isTighter = (keyword: string, sign: 1 | -1): boolean =>
    after[keyword] !== undefined && !(sign * after[keyword] <= sign * before[keyword]);
  const tighter = [
    ...LOWER_LIMITS.filter((keyword) => isTighter(keyword, 1)),
    ...UPPER_LIMITS.filter((keyword) => isTighter(keyword, -1)),
  ].map((name) => `${location}: ${name} was tightened from ${before[name] ?? 'none'} to ${after[name]}`);
  const changed = ['pattern', 'format'].filter(
    (keyword) => after[keyword] !== undefined && after[keyword] !== before[keyword],
  );
  return [...tighter, ...changed.map((keyword) => `${location}: the ${keyword} changed`)];
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Returns a schema variant's type, or `any` without one. */
const typeOf = ({ type, enum: values, const: value }: Json): string => {
  const [example] = [...((values as unknown[] | undefined) ?? []), ...(value === undefined ? [] : [value])];
  return (type as string | undefined) ?? (example === undefined ? 'any' : typeof example);
};

const describe = (schema: Json): string => valuesOf(schema)?.join(' or ') ?? typeOf(schema);

const valuesOf = ({ enum: values, const: value }: Json): unknown[] | undefined =>
  (values as unknown[] | undefined) ?? (value === undefined ? undefined : [value]);

/** Returns a schema with its references and the parts in `allOf` merged into one. */
function merge(schema: Json, document: Json): Json {
  const { allOf = [], ...own } = resolveReference(schema, document) as Json;
  const parts = (allOf as Json[]).map((part) => merge(part, document));
  return [own, ...parts].reduce<Json>(
    (sum, part) => ({
      ...sum,
      ...part,
      properties: { ...sum['properties'], ...part['properties'] },
      required: [...(sum['required'] ?? []), ...(part['required'] ?? [])],
    }),
    {},
  );
}

/** Returns a schema's alternatives, each with one type, or only the schema itself if it has none. */
function variantsOf(schema: Json, document: Json): Json[] {
  const { oneOf, anyOf, type, ...rest } = merge(schema, document);
  const alternatives = (oneOf ?? anyOf) as Json[] | undefined;
  if (alternatives)
    return alternatives.flatMap((each) =>
      variantsOf(each, document).map((variant) => ({ ...rest, ...variant })),
    );
  return [type].flat().map((each) => {
    // Limits do not apply to null.
    if (each === 'null') return { type: 'null' };
    return { ...rest, ...(each === undefined ? {} : { type: each as string }) };
  });
}
