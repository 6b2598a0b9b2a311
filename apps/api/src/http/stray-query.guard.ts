import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { GatehouseError } from '#domain';
import type { HouseRequest } from './request-context.js';

/** Refuses query parameters on routes that declare none; the others name their strays themselves. */
@Injectable()
export class StrayQueryGuard implements CanActivate {
  /** @throws GatehouseError `validation_failed` */
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<HouseRequest>();
    const strays = Object.keys(query);
    if (strays.length === 0 || takesQuery(context)) return true;
    const message = 'is not a parameter of this route';
    const errors = strays.map((field) => ({ field, code: 'unknown_field', message }));
    throw new GatehouseError('validation_failed', { errors });
  }
}

/** Whether a handler declares that it takes a query. */
function takesQuery(context: ExecutionContext): boolean {
  const parameters = Reflect.getMetadata(
    ROUTE_ARGS_METADATA,
    context.getClass(),
    context.getHandler().name,
  ) as Record<string, unknown> | undefined;
  return Object.keys(parameters ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}
