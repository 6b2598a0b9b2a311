import { replaceEqualDeep } from '@tanstack/react-query';

/** The `ETag` for each resource that a response contained. */
const tags = new WeakMap<object, string>();

/** Returns the resource in a body. Some routes wrap it in `data`. */
export const resourceOf = (body: unknown): unknown =>
  isObject(body) && 'success' in body && 'data' in body ? body.data : body;

/** Stores the `ETag` of the resource in a response. */
export function rememberTag(body: unknown, response: Response): void {
  setTag(resourceOf(body), response.headers.get('ETag') ?? undefined);
}

/**
 * Keeps the unchanged parts of the previous body, as react-query does by default. The result has the new body's tag.
 */
export function shareWithTag(before: unknown, body: unknown): unknown {
  const shared = replaceEqualDeep<unknown>(before, body);
  setTag(resourceOf(shared), tagOf(resourceOf(body)));
  return shared;
}

/**
 * Merges an updated resource into the previous body. A route that lists or reads a resource can return more fields than
 * the route that updates it.
 */
export function mergeUpdated(before: object, updated: object): object {
  const resource = { ...(resourceOf(before) as object), ...updated };
  setTag(resource, tagOf(updated));
  return resourceOf(before) === before ? resource : { ...before, data: resource };
}

/** The header for a PATCH that is applied only if the resource is unchanged. */
export interface IfMatch {
  'If-Match'?: string;
}

/** Returns the `If-Match` header for a resource that `useGet` has loaded. For any other resource, returns no header. */
export const ifMatch = (resource: object): IfMatch => {
  const tag = tags.get(resource);
  return tag === undefined ? {} : { 'If-Match': tag };
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const tagOf = (resource: unknown): string | undefined =>
  isObject(resource) ? tags.get(resource) : undefined;

function setTag(resource: unknown, tag: string | undefined): void {
  if (isObject(resource) && tag !== undefined) tags.set(resource, tag);
}
