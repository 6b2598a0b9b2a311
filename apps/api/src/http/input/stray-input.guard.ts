import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { GatehouseError } from '@gatehouse/domain';
import type { GatehouseRequest } from '../request-context.js';

/**
 * Rejects query parameters and body fields on routes that declare none; on other routes, `InputPipe` rejects
 * unknown fields.
 */
@Injectable()
export class StrayInputGuard implements CanActivate {
  /** @throws GatehouseError `validation_failed` */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const body = (request.body ?? {}) as object;
    const unknownFields = [
      ...(declaresInput(context, RouteParamtypes.QUERY) ? [] : Object.keys(request.query)),
      ...(declaresInput(context, RouteParamtypes.BODY) ? [] : Object.keys(body)),
    ];
    if (unknownFields.length === 0) return true;
    const errors = unknownFields.map((field) => ({
      field,
      code: 'unknown_field',
      message: `${field} is not a known field`,
    }));
    throw new GatehouseError('validation_failed', { errors });
  }
}

/** Returns true if the handler declares this input type. */
function declaresInput(context: ExecutionContext, type: RouteParamtypes): boolean {
  const parameters = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) as Record<string, unknown> | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${type}:`));
}
