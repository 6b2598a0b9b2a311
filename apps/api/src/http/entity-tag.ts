import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { tap, type Observable } from 'rxjs';
import { canonicalJson, sha256 } from '@gatehouse/platform';

export const ENTITY_TAG = Symbol('entity tag of a route');

/**
 * Returns the entity tag of a resource, as its route returns it: every visible change changes it. A change of a field
 * that is never returned, such as a secret, changes `updatedAt`.
 */
export const entityTag = (resource: object): string =>
  `"${sha256(canonicalJson(resource)).toString('base64url')}"`;

/**
 * Sends the entity tag of the returned resource as `ETag`. A PATCH gets its condition with `@IfMatch()`. The OpenAPI document
 * describes both.
 * @param immutableFields fields that never change and that only this route returns. The tag does not depend on them
 */
export const ETag = (...immutableFields: string[]): MethodDecorator =>
  applyDecorators(
    SetMetadata(ENTITY_TAG, true),
    UseInterceptors(new EntityTagInterceptor(new Set(immutableFields))),
  );

class EntityTagInterceptor implements NestInterceptor {
  constructor(private readonly immutableFields: ReadonlySet<string>) {}

  intercept(context: ExecutionContext, next: CallHandler<object>): Observable<object> {
    const response = context.switchToHttp().getResponse<Response>();
    return next.handle().pipe(
      tap((body) => {
        const resource = 'success' in body ? (body as unknown as { data: object }).data : body;
        const fields = Object.entries(resource).filter(([name]) => !this.immutableFields.has(name));
        response.setHeader('ETag', entityTag(Object.fromEntries(fields)));
      }),
    );
  }
}
