import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { tap, type Observable } from 'rxjs';
import { canonicalJson, sha256 } from '@gatehouse/platform';

export const ENTITY_TAG = Symbol('entity tag of a route');

/** The metadata for a route with an entity tag. */
export interface EntityTagMetadata {
  /** True if a GET with the tag as `If-None-Match` returns 304. */
  isCacheable: boolean;
}

/** The fields that a route's tag does not depend on. */
export interface UntaggedFields {
  /** Fields that never change and that only this route returns. */
  immutable?: readonly string[];
  /**
   * Fields that no PATCH changes, such as the last sign-in time. The tag does not depend on them, so a change to them
   * does not make a PATCH's condition fail. A GET with `If-None-Match` never returns 304, because they may have changed
   * although the tag has not.
   */
  volatile?: readonly string[];
}

/**
 * Returns the entity tag of a resource in the form that its route returns. Every visible change changes the
 * tag. A change to a field that is never returned, such as a secret, changes `updatedAt`.
 * @param untagged names of fields that the tag does not depend on
 */
export function entityTag(resource: object, untagged: readonly string[] = []): string {
  const fields = Object.entries(resource).filter(([name]) => !untagged.includes(name));
  return `"${sha256(canonicalJson(Object.fromEntries(fields))).toString('base64url')}"`;
}

/**
 * Sends the returned resource's entity tag as `ETag`. A PATCH receives its condition with `@IfMatch()`. The OpenAPI
 * document describes both.
 */
export const ETag = (untagged: UntaggedFields = {}): MethodDecorator => {
  const metadata: EntityTagMetadata = { isCacheable: untagged.volatile === undefined };
  return applyDecorators(
    SetMetadata(ENTITY_TAG, metadata),
    UseInterceptors(new EntityTagInterceptor(untagged)),
  );
};

class EntityTagInterceptor implements NestInterceptor {
  constructor(private readonly untagged: UntaggedFields) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    const http = context.switchToHttp();
    const { immutable = [], volatile } = this.untagged;
    // Express would compare the tag and return 304, although these fields may have changed.
    if (volatile) delete http.getRequest<Request>().headers['if-none-match'];
    return next.handle().pipe(
      tap((body) => {
        const resource = 'success' in body ? (body as unknown as { data: object }).data : body;
        const tag = entityTag(resource, [...immutable, ...(volatile ?? [])]);
        http.getResponse<Response>().setHeader('ETag', tag);
      }),
    );
  }
}
