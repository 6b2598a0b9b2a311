import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { GatehouseError } from '@gatehouse/domain';
import type { GatehouseRequest } from './request-context.js';

/** Refuses query parameters and bodies on routes that declare none; the others name their strays themselves. */
@Injectable()
export class StrayInputGuard implements CanActivate {
  /** @throws GatehouseError `validation_failed` */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<GatehouseRequest>();
    const body = (request.body ?? {}) as object;
    const strays = [
      ...(declaresInput(context, RouteParamtypes.QUERY) ? [] : Object.keys(request.query)),
      ...(declaresInput(context, RouteParamtypes.BODY) ? [] : Object.keys(body)),
    ];
    if (strays.length === 0) return true;
    const errors = strays.map((field) => ({
      field,
      code: 'unknown_field',
      message: `${field} is not a known field`,
    }));
    throw new GatehouseError('validation_failed', { errors });
  }
}

/** Whether a handler declares that it takes such an input. */
function declaresInput(context: ExecutionContext, type: RouteParamtypes): boolean {
  const parameters = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) as Record<string, unknown> | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${type}:`));
}
