import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { GatehouseError, invalidField } from '@gatehouse/domain';
import { entityTag } from './entity-tag.js';
import type { GatehouseRequest } from '../request-context.js';

const HEADER = 'If-Match';

const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagPattern = new RegExp(tag, 'g');
/** A list of entity tags, which may have empty elements (RFC 9110, sections 5.6.1 and 8.8.3). */
const tagListPattern = new RegExp(`^[\\t ,]*(?:${tag}[\\t ]*(?:,[\\t ,]*|$))+$`);

/** The condition of a PATCH request: the `If-Match` header (RFC 9110, section 13.1.1). */
export class Precondition {
  /** @param tags the accepted tags; the resource must have one of them. Null accepts any existing resource */
  private constructor(private readonly tags: ReadonlySet<string> | null) {}

  /** @throws GatehouseError `validation_failed` for a header that is neither `*` nor a list of entity tags */
  static parse(header: string | undefined): Precondition {
    if (header === undefined || header === '*') return new Precondition(null);
    if (!tagListPattern.test(header))
      throw invalidField(HEADER, 'invalid', `${HEADER} must be * or a list of entity tags such as "abc"`);
    return new Precondition(new Set(header.match(tagPattern)));
  }

  /**
   * Rejects a change to a resource that has changed since the caller read it. The transaction must have locked the
   * resource: otherwise, two changes with the same tag could both be applied.
   * @param resource the resource before the change, as its route returns it
   * @param untagged names of fields that the tag does not depend on
   * @throws GatehouseError `precondition_failed`
   */
  assert(resource: object, untagged: readonly string[] = []): void {
    // The comparison is strong: weak tags never match, because entityTag returns no weak tags.
    if (this.tags && !this.tags.has(entityTag(resource, untagged)))
      throw new GatehouseError('precondition_failed');
  }
}

/** Injects the condition for a PATCH with `@ETag()`. The service must assert it. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): Precondition =>
  Precondition.parse(context.switchToHttp().getRequest<GatehouseRequest>().get(HEADER)),
);
